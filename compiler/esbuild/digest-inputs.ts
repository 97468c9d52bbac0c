import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The SHA-256 of the files that a module was bundled of, by path relative to the directory. */
export function digestInputs(directory: string, inputs: readonly string[]): [path: string, sha256: string][] {
  return inputs.map(input => {
    const file = join(directory, input)
    // It may be gone since it was bundled.
    return [input, existsSync(file) ? hash('sha256', readFileSync(file)) : 'gone']
  })
}
