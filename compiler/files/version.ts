import { createRequire } from 'node:module'

/** The package's version: what was compiled by another one is compiled again. */
export const VERSION: string = createRequire(import.meta.url)('agent-apps/package.json').version
