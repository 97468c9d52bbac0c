import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const made: string[] = []
const keptOnes: string[] = []

/** A new, empty directory that is gone after the test file. Its name is never a namespace, which has no capitals. */
export function temporary(): string {
  const directory = newDirectory()
  made.push(directory)
  return directory
}

/** A new, empty directory that is gone when the process ends: for what several tests copy. */
export function kept(): string {
  if (keptOnes.length === 0) process.once('exit', () => removeAll(keptOnes))
  const directory = newDirectory()
  keptOnes.push(directory)
  return directory
}

function newDirectory(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'agent-apps-Test-')))
}

/** Removes all that `temporary` made. */
export function removeTemporary(): void {
  removeAll(made)
}

function removeAll(directories: string[]): void {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
}
