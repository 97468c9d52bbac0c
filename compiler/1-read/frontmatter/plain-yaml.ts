import type { JsonObject, JsonValue } from '../../../src/base/json.js'

/**
 * Reads the YAML of most skills by a scan of its lines: mappings and lists in blocks, of scalars on one line.
 *
 * @returns null for anything else, which is left to a parser, along with all that is wrong
 */
export function readPlainYaml(source: string): JsonObject | null {
  if (NOT_ASCII.test(source) && OTHER_CHARACTERS.test(source)) return null
  const reader: Reader = { source, position: 0, end: 0, indent: 0 }
  toLine(reader)
  const value = reader.indent === 0 ? readMapping(reader, 0, 0) : null
  return value !== null && reader.indent === AT_END && Object.keys(value).length > 0 ? value : null
}

/** The state of a scan, at a line that is not blank. */
interface Reader {
  source: string
  /** The offset of the line's first character after its indentation. */
  position: number
  end: number
  /** The number of spaces before it; `AT_END` after the last line. */
  indent: number
}

const AT_END = -1
/** The deepest level that is read here. */
const DEPTH_MAX = 4

/** Matches less than half of all values, in a fifth of the time of the next pattern. */
const NOT_ASCII = /[^\n\x20-\x7E]/

/** Line breaks, tabs, characters that YAML forbids or reads as line breaks, and lone surrogates. */
const OTHER_CHARACTERS =
  /[^\n\x20-\x7E\xA0-\u2027\u202A-\uD7FF\uE000-\uFEFE\uFF00-\uFFFD\u{10000}-\u{10FFFF}]/u

/** A key that is not another scalar, with a space or the line's end after its colon. */
const KEY = /[A-Za-z][\w-]*:(?= |\n|$)/y

/** Moves to the next line that is neither blank nor a comment. */
function toLine(reader: Reader): void {
  const { source } = reader
  for (let start = reader.end; start < source.length; ) {
    let position = start
    while (source.charCodeAt(position) === SPACE) position++
    const newline = source.indexOf('\n', position)
    const end = newline === -1 ? source.length : newline
    if (position < end && source[position] !== '#') {
      reader.position = position
      reader.end = end + 1
      reader.indent = position - start
      return
    }
    start = end + 1
  }
  reader.indent = AT_END
}

const SPACE = 0x20

/** Reads the mapping whose first key is at the current line. */
function readMapping(reader: Reader, indent: number, depth: number): JsonObject | null {
  if (depth > DEPTH_MAX) return null
  const mapping: JsonObject = {}
  let keys = 0
  while (reader.indent === indent) {
    KEY.lastIndex = reader.position
    if (!KEY.test(reader.source)) return null
    const key = reader.source.slice(reader.position, KEY.lastIndex - 1)
    // One of these is not a string.
    if (key.length <= CONSTANT_MAX && CONSTANTS.has(key)) return null
    const written = restOfLine(reader, key.length + 1)
    const value = written === '' ? readBelow(reader, indent, depth) : scalarOf(reader, written)
    if (value === undefined) return null
    mapping[key] = value
    keys++
  }
  // A duplicate key is a fault.
  return Object.keys(mapping).length === keys ? mapping : null
}

/** Reads the value below a key: a list, a mapping, or nothing. */
function readBelow(reader: Reader, indent: number, depth: number): JsonValue | undefined {
  toLine(reader)
  const isList = isItem(reader)
  if (reader.indent < indent || (reader.indent === indent && !isList)) return null
  return (
    (isList ? readList(reader, reader.indent) : readMapping(reader, reader.indent, depth + 1)) ?? undefined
  )
}

function isItem({ source, position }: Reader): boolean {
  return source.startsWith('- ', position)
}

/** Reads the list whose first item is at the current line. */
function readList(reader: Reader, indent: number): JsonValue[] | null {
  const list: JsonValue[] = []
  while (reader.indent === indent && isItem(reader)) {
    const value = scalarOf(reader, restOfLine(reader, 2))
    if (value === undefined) return null
    list.push(value)
  }
  return list
}

/** The current line after its first characters, without the spaces around it. Other blanks belong to a scalar. */
function restOfLine({ source, position, end }: Reader, first: number): string {
  let start = position + first
  let last = end - 1
  while (start < last && source.charCodeAt(start) === SPACE) start++
  while (last > start && source.charCodeAt(last - 1) === SPACE) last--
  return source.slice(start, last)
}

/** Reads a scalar that is the last thing on its line, and moves to the next line. */
function scalarOf(reader: Reader, written: string): JsonValue | undefined {
  toLine(reader)
  return readScalar(written)
}

const CONSTANTS = new Map<string, JsonValue>([
  ...['null', 'Null', 'NULL', '~'].map(word => [word, null] as const),
  ...['true', 'True', 'TRUE'].map(word => [word, true] as const),
  ...['false', 'False', 'FALSE'].map(word => [word, false] as const),
])

/** The length of the longest of them. */
const CONSTANT_MAX = 5

/** How a string begins that has no quotes, no sign, and no character that means something to YAML. */
const PLAIN_START = /[A-Za-z\xA0-\uFFFF(/$^;<=_\\]/y
/** The end of such a string, or the colon that makes it a key. */
const PLAIN_END = /:(?: |$)| #/
const SMALL_NUMBER = /^(?:0|[1-9]\d{0,14})(?:\.\d{1,9})?$/
/** Strings that begin like a number: versions, dates, and others with a character that no number has. */
const NO_NUMBER = /^\d.*[^\d\-+.:_a-fA-FoxX]|^\d+(?:\.\d+){2,}$|^\d{4}-\d\d-\d\d$/
const QUOTED = /^(?:"([^"\\]*)"|'((?:[^']|'')*)')$/
/** A list in brackets, of words that are no other scalars. */
const WORDS = /^\[([A-Za-z][\w./+-]*(?:,? [A-Za-z][\w./+-]*|,[A-Za-z][\w./+-]*)*)\]$/

/** Reads a scalar on one line, or a list of words in brackets; undefined for anything else. */
function readScalar(written: string): JsonValue | undefined {
  const constant = written.length <= CONSTANT_MAX ? CONSTANTS.get(written) : undefined
  if (constant !== undefined) return constant
  PLAIN_START.lastIndex = 0
  if (PLAIN_START.test(written) || NO_NUMBER.test(written)) {
    // Most have neither character, and searching for one is much faster.
    const mayEnd = written.includes(':') || written.includes('#')
    return mayEnd && PLAIN_END.test(written) ? undefined : written
  }
  if (SMALL_NUMBER.test(written)) return Number(written)
  const quoted = QUOTED.exec(written)
  if (quoted) return quoted[1] ?? quoted[2]?.replaceAll("''", "'")
  const words = WORDS.exec(written)?.[1]?.split(/, ?/)
  return words?.some(word => CONSTANTS.has(word)) ? undefined : words
}
