import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const made: string[] = []

/** A new, empty directory that is gone after the test file. Its name is never a namespace, which has no capitals. */
export function temporary(): string {
  const directory = newDirectory()
  made.push(directory)
  return directory
}

/** A new, empty directory that is gone when the process ends: for what several tests copy. */
export function kept(): string {
  const directory = newDirectory()
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  return directory
}

function newDirectory(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'agent-apps-Test-')))
}

/** Removes all that `temporary` made. */
export function removeTemporary(): void {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true })
}
