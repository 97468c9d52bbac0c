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
import { limits } from './limits.js'

/** Not every system has these. */
const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants

/** More than this is not read at once. Node's own reading ends there, too. */
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

/** The bytes of the regular file that a real path names, or the first `most` of them. A link that was put on the way since that was found out is not followed. */
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

/** As `readSkillFile`, into memory that the next call uses again: the bytes are to be looked at before that, and not kept. */
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

/** Opens a regular file. What was one when somebody looked may be a pipe by now, which must not be waited for. */
export function openRegularFile(file: string, flags = 0): { descriptor: number; stat: Stats } {
  const descriptor = openSync(file, O_RDONLY | O_NONBLOCK | flags)
  const stat = fstatSync(descriptor)
  if (stat.isFile()) return { descriptor, stat }
  closeSync(descriptor)
  throw new NoRegularFile('not a regular file')
}

class NoRegularFile extends Error {}

/** What a look at a file gives; null where that was removed, or replaced by no file, between being seen and being read. */
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

/** True where what was opened lies at a path to which no link leads. */
function isAt(real: string, { dev, ino }: Stats): boolean {
  const there = lstatSync(real, { throwIfNoEntry: false })
  return there?.dev === dev && there.ino === ino && realpathSync.native(real) === real
}

/** What the operating system says of a path, without the path and the call's name. */
export function systemReason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code === undefined
    ? message
    : `${code}, ${message
        .replace(/^[A-Z]+: /, '')
        .replace(/, \w+ '.*$/s, '')
        .replace(/, \w+$/, '')}`
}

/** What a source map begins with. Any program may have written such a one. */
export const MAP_MARK = '{\n  "version": 3,'

/** True for whatever has the name, including a broken link. A name that cannot be looked at is reported by the writing. */
export function isThere(file: string): boolean {
  return orNull(() => lstatSync(file)) !== null
}

/** True for a file, and no link, that begins with a mark. */
export function beginsWith(file: string, mark: string): boolean {
  return beginningOf(file, mark.length).equals(Buffer.from(mark))
}

/** True also for one that was cut off before the mark's end: whoever wrote it was killed. */
export function isBegun(file: string, mark: string): boolean {
  const bytes = beginningOf(file, mark.length)
  return isFile(file) && Buffer.from(mark).subarray(0, bytes.length).equals(bytes)
}

/** Of what is not a file, nothing. */
function beginningOf(file: string, length: number): Buffer {
  return unlessGone(() => (isFile(file) ? readRegularFile(file, length) : null)) ?? Buffer.alloc(0)
}

/** True for a file that is not a link. */
export function isFile(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() === true
}
