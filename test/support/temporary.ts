import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

const made: string[] = []

afterAll(() => {
  for (const directory of made) rmSync(directory, { recursive: true, force: true })
})

/** A new, empty directory that is gone after the test file. */
export function temporary(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'agent-apps-test-')))
  made.push(directory)
  return directory
}
