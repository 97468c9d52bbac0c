import { rmSync } from 'node:fs'
import { join } from 'node:path'

/** Removes everything that compiling made in a directory. */
export function removeIndex(directory) {
  rmSync(join(directory, '.agent-apps'), { recursive: true, force: true })
  rmSync(join(directory, '.agent-apps.json'), { force: true })
}
