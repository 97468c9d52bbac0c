import { isAscii, isUtf8 } from 'node:buffer'
import { FILE_START, type Finding, finding, type Place } from '../diagnostics.js'
import { limits } from '../limits.js'
import { placeAt } from './source-text.js'

const REPLACEMENT = '\uFFFD'
const REPLACEMENT_BYTES = Buffer.from(REPLACEMENT)

export interface DecodedText {
  text: string
  /** True where one character is one byte, so that offsets need no conversion. */
  ascii: boolean
}

/** A skill file's bytes as text, or why they are none. A byte order mark stays in the text. */
export function decode(bytes: Buffer): DecodedText | Finding {
  if (bytes.length > limits.fileBytes) return finding('file-too-large', FILE_START)
  const nul = bytes.indexOf(0)
  if (nul !== -1) return finding('nul-byte', placeInBytes(bytes, nul))
  if (isAscii(bytes)) return { text: bytes.toString('latin1'), ascii: true }
  if (!isUtf8(bytes)) return finding('invalid-utf8', placeInBytes(bytes, firstInvalid(bytes)))
  return { text: bytes.toString('utf8'), ascii: false }
}

/** How many bytes a part of a decoded text has in its file. */
export function byteLength({ text, ascii }: DecodedText, start: number, end: number): number {
  return ascii ? end - start : Buffer.byteLength(text.slice(start, end))
}

function placeInBytes(bytes: Buffer, offset: number): Place {
  const before = bytes.subarray(0, offset).toString('utf8')
  return placeAt(before, before.length)
}

/** The offset of the first byte that begins no valid sequence: decoding puts a U+FFFD there that the bytes do not hold. */
function firstInvalid(bytes: Buffer): number {
  const text = bytes.toString('utf8')
  let offset = 0
  let from = 0
  for (let mark = text.indexOf(REPLACEMENT); mark !== -1; mark = text.indexOf(REPLACEMENT, from)) {
    offset += Buffer.byteLength(text.slice(from, mark))
    if (!bytes.subarray(offset, offset + 3).equals(REPLACEMENT_BYTES)) return offset
    offset += 3
    from = mark + 1
  }
  return offset
}
