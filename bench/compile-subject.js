import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const COMMAND = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))

/** How a user compiles directories: by the command, where it is built, else by the compiler's own entry. */
export function compileSubject(directories) {
  return existsSync(COMMAND)
    ? // It ends with 1 where skills have faults, as real ones do.
      { script: COMMAND, args: ['compile', ...directories], exits: [0, 1] }
    : { script: 'compile.js', args: directories }
}

/** How a user checks a directory. */
export function checkSubject(directory) {
  return { script: COMMAND, args: ['check', directory] }
}
