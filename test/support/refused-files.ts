import fs from 'node:fs'
import { vi } from 'vitest'
import { withSpies } from './with-spies.js'

/** Does work while the system lets nobody read the files whose paths match: permissions do not hold the superuser back. */
export async function withRefused<Result>(pattern: RegExp, work: () => Promise<Result>): Promise<Result> {
  const refuse = (path: unknown): void => {
    if (pattern.test(String(path)))
      throw Object.assign(new Error(`EACCES: permission denied, open '${path}'`), { code: 'EACCES' })
  }
  const { openSync, readFileSync } = fs
  const { open, readFile } = fs.promises
  const spies = [
    vi.spyOn(fs, 'openSync').mockImplementation((path, ...how) => {
      refuse(path)
      return openSync(path, ...how)
    }),
    vi.spyOn(fs, 'readFileSync').mockImplementation(((path: string, ...how: []) => {
      refuse(path)
      return readFileSync(path, ...how)
    }) as never),
    vi.spyOn(fs.promises, 'open').mockImplementation(async (path, ...how) => {
      refuse(path)
      return open(path, ...how)
    }),
    vi.spyOn(fs.promises, 'readFile').mockImplementation((async (path: string, ...how: []) => {
      refuse(path)
      return readFile(path, ...how)
    }) as never),
  ]
  return withSpies(spies, work)
}
