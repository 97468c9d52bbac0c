import { createHash, hash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { readRegularFile } from './regular-file.js'

/** Bytes of the first line: a SHA-256 in hex, and the line's end. */
const SEAL = 65

/**
 * The bytes, in pieces, of a file whose first line is the SHA-256 of all that follows. What reads it back takes every value in it for its
 * own, so that one which was changed or cut off, by whatever, must be as if there were none.
 */
export function withSeal(pieces: readonly Uint8Array[]): Uint8Array[] {
  const digest = createHash('sha256')
  for (const piece of pieces) digest.update(piece)
  return [Buffer.from(`${digest.digest('hex')}\n`), ...pieces]
}

/** What was sealed; null where it is not as it was written, or no file. Throws the system's error where it cannot be read. */
export function readSealed(file: string): string | null {
  if (!lstatSync(file).isFile()) return null
  const bytes = readRegularFile(file)
  const contents = bytes.subarray(SEAL)
  const seal = bytes.toString('latin1', 0, SEAL)
  return seal === `${hash('sha256', contents)}\n` ? contents.toString() : null
}
