import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/** The package's version. Output of another version is compiled again. */
export const VERSION: string = createRequire(import.meta.url)('agent-apps/package.json').version

// Relative to `dist/compiler/`, where `scripts/bundle-package.js` puts every module of the compiler.

/** The folder of the built runtime, compiler and command. */
export const BUILT_DIRECTORY: string = fileURLToPath(new URL('../', import.meta.url))
/** The skills that the package ships. */
export const LIBRARY_DIRECTORY: string = fileURLToPath(new URL('../../skills', import.meta.url))
