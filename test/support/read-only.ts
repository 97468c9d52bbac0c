import fs from 'node:fs'
import { vi } from 'vitest'
import { withSpies } from './with-spies.js'

/** Does work while the system lets nobody write below a directory: neither permissions nor mounts can be had everywhere. */
export async function withReadOnly<Result>(
  directory: string,
  code: 'EROFS' | 'EACCES',
  work: () => Promise<Result>,
): Promise<Result> {
  const { openSync, mkdirSync, renameSync, rmSync, rmdirSync } = fs
  const isBelow = (path: unknown): boolean => `${path}/`.startsWith(`${directory}/`)
  const refuse = (call: string, path: unknown, isWriting = true): void => {
    if (!isWriting || !isBelow(path)) return
    throw Object.assign(new Error(`${code}: refused, ${call} '${path}'`), { code, path })
  }
  // As the system does: what is there already, or is not there, is told before.
  const spies = [
    vi.spyOn(fs, 'openSync').mockImplementation((path, flags, ...how) => {
      refuse('open', path, typeof flags === 'string' && /[wa+]/.test(flags) && !fs.existsSync(path))
      return openSync(path, flags, ...how)
    }),
    vi.spyOn(fs, 'mkdirSync').mockImplementation(((path: string, ...how: []) => {
      refuse('mkdir', path, !fs.existsSync(path))
      return mkdirSync(path, ...how)
    }) as never),
    vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
      refuse('rename', to)
      return renameSync(from, to)
    }),
    vi.spyOn(fs, 'rmSync').mockImplementation((path, ...how) => {
      refuse('unlink', path, fs.existsSync(path))
      return rmSync(path, ...how)
    }),
    vi.spyOn(fs, 'rmdirSync').mockImplementation((path, ...how) => {
      refuse('rmdir', path)
      return rmdirSync(path, ...how)
    }),
  ]
  return withSpies(spies, work)
}
