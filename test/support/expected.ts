import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'

/** Compares what a sample gives with its `expected.json`, which `UPDATE=1` writes anew. */
export function expectAsWritten(folder: string, actual: unknown): void {
  const file = join(folder, 'expected.json')
  if (process.env.UPDATE) writeFileSync(file, `${JSON.stringify(actual, null, 2)}\n`)
  expect(existsSync(file), 'no expected.json: write it with UPDATE=1, and read it').toBe(true)
  expect(actual).toEqual(JSON.parse(readFileSync(file, 'utf8')))
}
