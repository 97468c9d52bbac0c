import { createHash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { orNull } from '../../src/base/attempt.js'
import { readRegularFile } from './regular-file.js'

/** The bytes of the first line: a SHA-256 in hex, and the line's end. */
const SEAL = 65

/**
 * The JSON of an object, in pieces, after a first line with its SHA-256. Its reader trusts every value in it, so a file that was
 * changed or cut off must count as missing.
 */
export function sealedJson(object: object): Uint8Array[] {
  const pieces = jsonPieces(object)
  return [Buffer.from(`${sealOf('', pieces)}\n`), ...pieces]
}

/** Reads the output of `sealedJson`; null if it was changed, or is not a file. Throws the system's error if it cannot be read. */
export function readSealed<Value>(file: string): Value | null {
  const { values = [] } = readSealedAll<Value>(file) ?? {}
  return values.length === 1 ? (values[0] as Value) : null
}

/** The end of a file of sealed objects, where `appendSealed` continues. */
export interface SealedEnd {
  /** The last seal. */
  seal: string
  /** Bytes of the first object, and of all. */
  first: number
  size: number
}

/** Reads a file with one sealed object, and those that `appendSealed` put behind it. */
export function readSealedAll<Value>(file: string): { values: Value[]; end: SealedEnd } | null {
  if (!lstatSync(file).isFile()) return null
  const bytes = readRegularFile(file)
  const values: Value[] = []
  const end: SealedEnd = { seal: '', first: 0, size: bytes.length }
  for (let at = 0, next = 0; at < bytes.length; at = next + 1) {
    const lineEnd = bytes.indexOf('\n', at + SEAL)
    next = lineEnd === -1 ? bytes.length : lineEnd
    const json = bytes.subarray(at + SEAL, next)
    end.seal = sealOf(end.seal, [json])
    end.first ||= next
    if (bytes.toString('latin1', at, at + SEAL) !== `${end.seal}\n`) return null
    values.push(JSON.parse(json.toString()))
  }
  return values.length > 0 ? { values, end } : null
}

/**
 * The bytes of a file of sealed objects with one more, in pieces; null if the file was replaced, and if the
 * appended objects become more than a quarter of the first one.
 */
export function appendSealed(
  file: string,
  { seal, first, size }: SealedEnd,
  object: object,
): Uint8Array[] | null {
  const pieces = jsonPieces(object)
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  if (size + length - first > first / 4) return null
  const bytes = orNull(() => readRegularFile(file))
  if (bytes?.length !== size) return null
  return [bytes, Buffer.from(`\n${sealOf(seal, pieces)}\n`), ...pieces]
}

/** The seal of an object and its predecessor. */
function sealOf(before: string, pieces: readonly Uint8Array[]): string {
  const digest = createHash('sha256').update(before)
  for (const piece of pieces) digest.update(piece)
  return digest.digest('hex')
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
