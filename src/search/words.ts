import { stem } from './stem.js'
import { Vocabulary, WORD_MAX } from './vocabulary.js'

/** At most this much of one text counts, in UTF-16 units, so that a hostile one costs no more than a long one. */
export const TEXT_MAX = 8192
/** More words make a query no better, and may take long: each may be the beginning of many terms. */
const QUERY_WORDS_MAX = 32
/** Words that say nothing about a task. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about also an and any are as at be been but by can could do does for from get has have how i if in into is ' +
    'it its just let like me my need of on or our please should so some than that the their them then there these ' +
    'they this to use used using want was we what when where which who will with would you your skill'
  ).split(' '),
)

/** A word of a query, and the term that it is looked up by. */
export interface QueryWord {
  /** In lower case. */
  word: string
  term: string
}

/** The words that were met. They are the same in most texts. */
let vocabulary = new Vocabulary(STOP_WORDS)

/** The vocabulary for the terms of a tool: their numbers are valid until the next tool's. */
export function currentVocabulary(): Vocabulary {
  if (vocabulary.isFull) vocabulary = new Vocabulary(STOP_WORDS)
  return vocabulary
}

/** The terms of a text in order: its words, stemmed, without those that say nothing. */
export function termsOfText(text: string): string[] {
  return termNumbersOfText(text).map(number => vocabulary.termAt(number))
}

export function termNumbersOfText(text: string): number[] {
  const numbers: number[] = []
  const bytes = textBytes(text)
  for (let start = 0; start < bytes.length; start++) start = addTermsOfLine(bytes, start, numbers)
  return numbers
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
/** A unit of UTF-16 takes three bytes at most. */
const encoded = new Uint8Array(3 * TEXT_MAX)

/** Encodes the first `TEXT_MAX` units of a text as UTF-8. The next call overwrites the result. */
export function textBytes(text: string): Uint8Array {
  return encoded.subarray(0, encoder.encodeInto(text.slice(0, TEXT_MAX), encoded).written)
}

/**
 * Adds the numbers of the terms of a line to others.
 *
 * @returns the end of the line
 */
export function addTermsOfLine(bytes: Uint8Array, start: number, to: number[]): number {
  const { length } = to
  const asciiEnd = vocabulary.addAscii(bytes, start, to)
  if (asciiEnd !== null) return asciiEnd
  to.length = length
  const next = bytes.indexOf(NEWLINE, start)
  const end = next === -1 ? bytes.length : next
  for (const word of wordsIn(decoder.decode(bytes.subarray(start, end))))
    if (!STOP_WORDS.has(word)) to.push(vocabulary.numberOf(word))
  return end
}

const NEWLINE = 10

/** The terms of a name: `readCsvFile` gives its parts too. Here every word tells something. */
export function termNumbersOfName(name: string): number[] {
  return wordsAndParts(name).map(word => vocabulary.numberOf(word))
}

/** The first words of a query, each once. A query of words that say nothing keeps them: names may have them. */
export function wordsOfQuery(query: string): QueryWord[] {
  const words = wordsAndParts(query)
  const telling = words.filter(word => !STOP_WORDS.has(word))
  const byTerm = new Map<string, QueryWord>()
  for (const word of telling.length > 0 ? telling : words) {
    const term = stem(word)
    if (byTerm.size < QUERY_WORDS_MAX && !byTerm.has(term)) byTerm.set(term, { word, term })
  }
  return [...byTerm.values()]
}

/** Scripts that are written without spaces. */
const UNSPACED = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}'
const RUNS = new RegExp(`[${UNSPACED}]+|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])+`, 'gu')
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u')
/** The boundaries between the words of a name like `readCSVFile`. A plural like `PDFs` is one word. */
const PARTS = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})/u

/** The words of a text, in lower case. */
function wordsIn(text: string): string[] {
  const lower = text.slice(0, TEXT_MAX).toLowerCase()
  // Most names and queries are ASCII, which the simpler expression reads in half the time.
  if (!/[^\0-\x7f]/.test(lower)) return (lower.match(/[a-z0-9]+/g) ?? []).filter(isWord)
  return (lower.match(RUNS) ?? [])
    .flatMap(run => (IS_UNSPACED.test(run) ? pairsIn(run) : [run]))
    .filter(isWord)
}

function wordsAndParts(text: string): string[] {
  return (text.slice(0, TEXT_MAX).match(RUNS) ?? []).flatMap(run => {
    const parts = run.split(PARTS)
    return wordsIn(parts.length > 1 ? `${run} ${parts.join(' ')}` : run)
  })
}

function isWord({ length }: string): boolean {
  return length <= WORD_MAX
}

/** Each two neighbouring characters. */
function pairsIn(run: string): string[] {
  const characters = [...run]
  return characters.length === 1
    ? characters
    : characters.slice(1).map((one, at) => `${characters[at]}${one}`)
}
