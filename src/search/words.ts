import { stem } from './stem.js'

/** Longer runs of letters are encoded data. */
export const WORD_MAX = 64
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

/** Leaves out stop words. */
export function telling(words: readonly string[]): string[] {
  return words.filter(word => !STOP_WORDS.has(word))
}

/** A word of a query, and the term that it is looked up by. */
export interface QueryWord {
  /** In lower case. */
  word: string
  term: string
}

/** The first words of a query, each once. A query of words that say nothing keeps them: names may have them. */
export function wordsOfQuery(query: string): QueryWord[] {
  const words = wordsAndParts(query)
  const some = telling(words)
  const byTerm = new Map<string, QueryWord>()
  for (const word of some.length > 0 ? some : words) {
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
export function wordsIn(text: string): string[] {
  const lower = text.slice(0, TEXT_MAX).toLowerCase()
  // Most names and queries are ASCII, which the simpler expression reads in half the time.
  if (!/[^\0-\x7f]/.test(lower)) return (lower.match(/[a-z0-9]+/g) ?? []).filter(isWord)
  return (lower.match(RUNS) ?? [])
    .flatMap(run => (IS_UNSPACED.test(run) ? pairsIn(run) : [run]))
    .filter(isWord)
}

/** The words of a text. A name like `readCSVFile` gives its parts, too. */
export function wordsAndParts(text: string): string[] {
  // Without a capital, no word has parts.
  if (!/[A-Z]|[^\0-\x7f]/.test(text)) return wordsIn(text)
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
