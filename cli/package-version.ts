import { createRequire } from 'node:module'

export function packageVersion(): string {
  return createRequire(import.meta.url)('agent-apps/package.json').version
}
