import { createHash, hash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { readRegularFile } from './regular-file.js'

/** The bytes of the first line: a SHA-256 in hex, and the line's end. */
const SEAL = 65

/**
 * The JSON of an object, in pieces, after a first line with its SHA-256. Whoever reads it back trusts every value in it, so a file that was
 * changed or cut off must count as missing.
 */
export function sealedJson(object: object): Uint8Array[] {
  const pieces = jsonPieces(object)
  const digest = createHash('sha256')
  for (const piece of pieces) digest.update(piece)
  return [Buffer.from(`${digest.digest('hex')}\n`), ...pieces]
}

/** Reads what `sealedJson` gave; null where it was changed, or is not a file. Throws the system's error where it cannot be read. */
export function readSealed<Value>(file: string): Value | null {
  if (!lstatSync(file).isFile()) return null
  const bytes = readRegularFile(file)
  const contents = bytes.subarray(SEAL)
  const seal = bytes.toString('latin1', 0, SEAL)
  return seal === `${hash('sha256', contents)}\n` ? JSON.parse(contents.toString()) : null
}

/** About how many characters a piece has. */
const PIECE = 256 * 1024

/** Something whose JSON is an array, which is made item by item. */
export class LongList {
  constructor(readonly items: Iterable<unknown>) {}
}

/** The JSON of an object as UTF-8, in pieces, so that no string is as long as all of it. */
export function jsonPieces(object: object): Buffer[] {
  const pieces: Buffer[] = []
  let text = ''
  const write = (more: string): void => {
    text += more
    if (text.length > PIECE) end()
  }
  const end = (): void => {
    pieces.push(Buffer.from(text))
    text = ''
  }
  write('{')
  for (const [number, [key, value]] of Object.entries(object).entries()) {
    write(`${number === 0 ? '' : ','}${JSON.stringify(key)}:`)
    if (value instanceof LongList) {
      let separator = ''
      write('[')
      for (const item of value.items) {
        write(separator + JSON.stringify(item))
        separator = ','
      }
      write(']')
    } else write(JSON.stringify(value))
  }
  write('}')
  end()
  return pieces
}
