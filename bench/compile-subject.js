import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const COMMAND = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))

/** How a user compiles directories: by the command, where it is built, else by the compiler's own entry. */
export function compileSubject(directories) {
  return existsSync(COMMAND)
    ? { script: COMMAND, args: ['compile', ...directories] }
    : { script: 'compile.js', args: directories }
}
