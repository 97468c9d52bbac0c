import { lstatSync } from 'node:fs'
import { orNull } from '../../src/base/attempt.js'
import { readRegularFile, unlessGone } from './regular-file.js'

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
