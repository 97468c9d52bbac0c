import { isAscii, isUtf8 } from 'node:buffer'
import { FILE_START, type Finding, finding, type Place } from '../../diagnostics/diagnostics.js'
import { placeAt, placesIn } from '../../diagnostics/source-text.js'
import { limits } from '../../files/limits.js'

const REPLACEMENT = '\uFFFD'
const REPLACEMENT_BYTES = Buffer.from(REPLACEMENT)

export interface DecodedText {
  text: string
  /** True if each character is one byte. Such a file has no hidden characters. */
  ascii: boolean
  /** The line and column of an offset into `text`. */
  placeAt: (offset: number) => Place
  /** Converts an offset in `text` to one in the file's bytes. */
  byteAt: (offset: number) => number
}

/** Decodes a skill file's bytes, or returns why they are not text. A byte order mark is kept. */
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

/** The offset of the first invalid byte: decoding inserts a U+FFFD there that the bytes do not contain. */
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

/** Bidirectional controls, zero-width characters, and Unicode tag characters (plane 14). */
const HIDDEN = /[\u061C\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]|\u{E0001}|[\u{E0020}-\u{E007F}]/u
/** All characters of `HIDDEN`, or the first UTF-16 unit of them, which is faster to search for. */
const MAY_BE_HIDDEN = /[\u061C\u200B-\u200F\u202A-\u202E\u2060-\u2069\uDB40\uFEFF]/
const HIDDEN_RUNS = new RegExp(`(?:${HIDDEN.source})+`, 'gu')
const JOINING_SCRIPTS =
  'Arabic Syriac Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer'
let legitimate: RegExp | undefined

/**
 * Matches zero-width characters that belong where they are: in emoji, and between letters of scripts that are
 * joined with them. Made when first needed, since making it takes as long as compiling a hundred skills.
 */
function legitimateCharacters(): RegExp {
  const scripts = JOINING_SCRIPTS.split(' ').map(script => String.raw`\p{Script=${script}}`)
  legitimate ??= new RegExp(String.raw`\p{RGI_Emoji}|[${scripts.join('')}]\p{M}{0,8}[\u200C\u200D]`, 'gv')
  return legitimate
}

/**
 * Finds characters that a reader does not see but a model reads, by which instructions are smuggled into
 * skills. Each run of them is one finding, with the code point of its first character.
 */
export function hiddenCharacters({ text, placeAt }: DecodedText, contentStart: number): Finding[] {
  // A byte order mark at the start of a file is legitimate.
  const body = text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text
  if (!MAY_BE_HIDDEN.test(body)) return []
  const seen = body.replace(legitimateCharacters(), characters => '.'.repeat(characters.length))
  const findings: Finding[] = []
  for (const run of seen.matchAll(HIDDEN_RUNS)) {
    const code = run[0].codePointAt(0) ?? 0
    const count = [...run[0]].length
    const character = `${describe(code)}${count > 1 ? ` and ${count - 1} more` : ''}`
    const where = run.index < contentStart ? 'frontmatter' : 'content'
    findings.push(finding('hidden-character', placeAt(run.index), character, where))
    if (findings.length === limits.findingsPerRule) break
  }
  return findings
}

function describe(code: number): string {
  const isBidi = /\p{Bidi_Control}/u.test(String.fromCodePoint(code))
  const invisible = isBidi ? 'Bidirectional control' : 'Zero-width character'
  const kind = code >= 0xe0000 ? 'Unicode tag character' : invisible
  return `${kind} U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}
