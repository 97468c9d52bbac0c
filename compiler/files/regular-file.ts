import { createHash, hash } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  type Stats,
} from 'node:fs'
import { orNull } from '../../src/base/attempt.js'
import { CLOCK_TICK } from '../../src/index/clock-tick.js'
import { limits } from './limits.js'

/** Some systems lack the last two. */
const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants

/** The most bytes that are read at once, as in Node's own functions. */
const WHOLE_MAX = 2 ** 31 - 1

/** The bytes of a regular file, or the first `most` of them. Throws the system's error where it cannot be read. */
export function readRegularFile(file: string, most = Number.POSITIVE_INFINITY): Buffer {
  const { descriptor, stat } = openRegularFile(file)
  try {
    return readBytes(descriptor, Math.min(stat.size, most))
  } finally {
    closeSync(descriptor)
  }
}

/** The bytes of the regular file at a real path, or the first `most` of them. Links that were put there since are not followed. */
export function readRealFile(real: string, most = Number.POSITIVE_INFINITY): Buffer {
  const { descriptor, stat } = openRegularFile(real, O_NOFOLLOW)
  try {
    if (!isAt(real, stat)) throw new Error('another file was put in its place')
    return readBytes(descriptor, Math.min(stat.size, most))
  } finally {
    closeSync(descriptor)
  }
}

const CHUNK = 1024 * 1024

/** The SHA-256 of a file of any size, a large one read piece by piece. Throws the system's error where it cannot be read. */
export function digestFile(file: string): string {
  const { descriptor, stat } = openRegularFile(file)
  try {
    if (stat.size <= CHUNK) return hash('sha256', readBytes(descriptor, stat.size))
    const digest = createHash('sha256')
    const chunk = Buffer.allocUnsafe(CHUNK)
    let length = -1
    for (let left = stat.size; length !== 0; left -= length) {
      length = readSync(descriptor, chunk, 0, Math.min(CHUNK, left), null)
      digest.update(chunk.subarray(0, length))
    }
    return digest.digest('hex')
  } finally {
    closeSync(descriptor)
  }
}

/** The bytes of a skill file, but at most one more than the limit of its size. */
export function readSkillFile(file: string): Buffer {
  return readRegularFile(file, limits.fileBytes + 1)
}

/** Like `readSkillFile`, into a buffer that the next call reuses: do not keep the bytes. */
export function glanceAtSkillFile(file: string): Buffer {
  const { descriptor, stat } = openRegularFile(file)
  try {
    const size = Math.min(stat.size, limits.fileBytes + 1)
    glance ??= Buffer.allocUnsafeSlow(GLANCE)
    return readBytes(descriptor, size, size <= GLANCE ? glance : undefined)
  } finally {
    closeSync(descriptor)
  }
}

/** More than most skill files have. */
const GLANCE = 64 * 1024
let glance: Buffer | undefined

/** Opens a regular file without blocking: since it was listed, a pipe may have replaced it. */
export function openRegularFile(file: string, flags = 0): { descriptor: number; stat: Stats } {
  const descriptor = openSync(file, O_RDONLY | O_NONBLOCK | flags)
  const stat = fstatSync(descriptor)
  if (stat.isFile()) return { descriptor, stat }
  closeSync(descriptor)
  throw new NoRegularFile('not a regular file')
}

class NoRegularFile extends Error {}

/** The result of `look`; null if the file was removed or is no longer a regular one. */
export function unlessGone<Result>(look: () => Result): Result | null {
  try {
    return look()
  } catch (error) {
    if (error instanceof NoRegularFile || (error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Reads at most `size` bytes: some of the system's files are regular, report a size of 0, and never end. */
function readBytes(descriptor: number, size: number, into?: Buffer): Buffer {
  if (size > WHOLE_MAX) throw new Error('larger than 2 GiB')
  const bytes = into ?? Buffer.allocUnsafe(size)
  let length = 0
  for (let read = -1; read !== 0 && length < size; length += read)
    read = readSync(descriptor, bytes, length, size - length, null)
  return bytes.subarray(0, length)
}

/** True if an opened file lies at a real path. */
function isAt(real: string, { dev, ino }: Stats): boolean {
  const there = lstatSync(real, { throwIfNoEntry: false })
  return there?.dev === dev && there.ino === ino && realpathSync.native(real) === real
}

/** The operating system's reason for an error, without the path and the name of the call. */
export function systemReason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code === undefined
    ? message
    : `${code}, ${message
        .replace(/^[A-Z]+: /, '')
        .replace(/, \w+ '.*$/s, '')
        .replace(/, \w+$/, '')}`
}

/** The beginning of a source map. Any program may have written one. */
export const MAP_MARK = '{\n  "version": 3,'

/** True for anything at the path, including a broken link. */
export function isThere(file: string): boolean {
  return orNull(() => lstatSync(file)) !== null
}

/** True for a file, and no link, that begins with a mark. */
export function beginsWith(file: string, mark: string): boolean {
  return beginningOf(file, mark.length).equals(Buffer.from(mark))
}

/** True also for a file that ends inside the mark, because its writer was killed. */
export function isBegun(file: string, mark: string): boolean {
  const bytes = beginningOf(file, mark.length)
  return isFile(file) && Buffer.from(mark).subarray(0, bytes.length).equals(bytes)
}

/** Empty for anything but a regular file. */
function beginningOf(file: string, length: number): Buffer {
  return unlessGone(() => (isFile(file) ? readRegularFile(file, length) : null)) ?? Buffer.alloc(0)
}

/** True for a file that is not a link. */
export function isFile(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() === true
}

/** The fields of a file's stat that show, without reading it, whether it changed. */
export interface FileStat {
  /** Bytes. */
  size: number
  mtimeMs: number
  ctimeMs: number
  ino: number
}

/** Copies these four fields of a `Stats`, or of a walked file. */
export function pickStat({ size, mtimeMs, ctimeMs, ino }: FileStat): FileStat {
  return { size, mtimeMs, ctimeMs, ino }
}

export function sameStat(a: FileStat, b: FileStat): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.ino === b.ino
}

/**
 * The file's `stat`, if it had settled by `lookedAt` (ms since the epoch); otherwise one that never matches. After a
 * very recent change, another one could leave the same times.
 */
export function settledStat(stat: FileStat, lookedAt: number): FileStat {
  const isOld = Math.max(stat.mtimeMs, stat.ctimeMs) < lookedAt - CLOCK_TICK
  return isOld ? stat : { ...pickStat(stat), ino: NO_FILE }
}

/** The number that no file has. */
const NO_FILE = -1

/** False for the stat of a file that had not settled. */
export function isSettled({ ino }: FileStat): boolean {
  return ino !== NO_FILE
}

/** True for a file that may have been written since a time (ms). Programs can set `mtime` back, but not `ctime`. */
export function isChangedSince(
  { mtimeMs, ctimeMs }: Pick<FileStat, 'mtimeMs' | 'ctimeMs'>,
  since: number,
): boolean {
  return Math.max(mtimeMs, ctimeMs) > since
}
