import { isAscii, isUtf8 } from 'node:buffer'
import { FILE_START, type Finding, finding, type Place } from '../../diagnostics/diagnostics.js'
import { placeAt, placesIn } from '../../diagnostics/source-text.js'
import { limits } from '../../files/limits.js'

const REPLACEMENT = '\uFFFD'
const REPLACEMENT_BYTES = Buffer.from(REPLACEMENT)

export interface DecodedText {
  text: string
  /** True where each character is one byte. Such a text has no hidden characters. */
  ascii: boolean
  /** The line and column of an offset into `text`. */
  placeAt: (offset: number) => Place
  /** Converts an offset in `text` to one in the file's bytes. */
  byteAt: (offset: number) => number
}

/** Decodes a skill file's bytes, or says why they are not text. A byte order mark stays in the text. */
export function decode(bytes: Buffer): DecodedText | Finding {
  if (bytes.length > limits.fileBytes) return finding('file-too-large', FILE_START)
  const nul = bytes.indexOf(0)
  if (nul !== -1) return finding('nul-byte', placeInBytes(bytes, nul))
  if (isAscii(bytes)) {
    const text = bytes.toString('latin1')
    return { text, ascii: true, placeAt: placesIn(text), byteAt: offset => offset }
  }
  if (!isUtf8(bytes)) return finding('invalid-utf8', placeInBytes(bytes, firstInvalid(bytes)))
  const text = bytes.toString('utf8')
  return { text, ascii: false, placeAt: placesIn(text), byteAt: bytesIn(text) }
}

/** Counts a text's bytes up to an offset, starting from the last offset asked for. */
function bytesIn(text: string): (offset: number) => number {
  let [counted, bytes] = [0, 0]
  return offset => {
    if (offset < counted) [counted, bytes] = [0, 0]
    bytes += Buffer.byteLength(text.slice(counted, offset))
    counted = offset
    return bytes
  }
}

function placeInBytes(bytes: Buffer, offset: number): Place {
  const before = bytes.subarray(0, offset).toString('utf8')
  return placeAt(before, before.length)
}

/** The offset of the first invalid byte: decoding gives a U+FFFD there which the bytes do not contain. */
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
