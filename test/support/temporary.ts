import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const made: string[] = []

/** A new, empty directory that is gone after the test file. Its name is never a namespace, which has no capitals. */
export function temporary(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'agent-apps-Test-')))
  made.push(directory)
  return directory
}

/** Removes all that `temporary` made. */
export function removeTemporary(): void {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true })
}
