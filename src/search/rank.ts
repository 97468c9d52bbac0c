import { NO_POSTINGS, type Postings, type TermIndex } from './postings.js'
import { LEVELS } from './tool-terms.js'
import type { QueryWord } from './words.js'

/** The part of a tool that a caller may search. */
export const NOTHING = 0
export const DECLARED = 1
export const EVERYTHING = 2

/** The tools as one caller may search them. */
export interface SearchView {
  /** What of the tool in each row: `NOTHING`, `DECLARED` or `EVERYTHING`. */
  parts: Uint8Array
  /** How many have more than nothing. */
  count: number
}

export interface RankedRow {
  row: number
  /** The sum of each word's weight times how rare it is. More is better; at least 0. */
  score: number
  /** The query's words that the tool has. */
  matched: string[]
}

export interface Ranking {
  /** The best, best first. Of those that are as good, the first row. */
  best: RankedRow[]
  /** How many have a word of the query. */
  found: number
}

/**
 * Ranks tools by words. How rare a word is, is counted over what the caller may search and nothing else, so that no score tells
 * of other tools. The time it takes depends on how many tools have the words, not on how many there are.
 *
 * @param isWanted true for the rows that an answer may have
 */
export function rank(
  words: readonly QueryWord[],
  index: TermIndex,
  view: SearchView,
  isWanted: (row: number) => boolean,
  limit: number,
): Ranking {
  const counted = words.map(({ word, term }) => ({ word, ...countTerm(term, index, view) }))
  const scores = new Float64Array(view.parts.length)
  const found: number[] = []
  for (const { rows, weights, rarity } of counted)
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at] as number
      if (scores[row] === 0 && isWanted(row)) found.push(row)
      scores[row] = (scores[row] as number) + (rarity * (weights[at] as number)) / LEVELS
    }
  const best: Scored[] = []
  for (const row of found) keepBest(best, { row, score: scores[row] as number }, limit)
  const matchedIn = (row: number): string[] =>
    counted.flatMap(({ word, rows }) => (rows.includes(row) ? [word] : []))
  return { best: best.map(one => ({ ...one, matched: matchedIn(one.row) })), found: found.length }
}

interface Scored {
  row: number
  score: number
}

/** A term as a caller may see it. */
interface CountedTerm {
  /** The rows that have it. */
  rows: number[]
  weights: number[]
  /** How much a tool tells by having it. */
  rarity: number
}

/** A term that no tool has is taken as the beginning of others. */
function countTerm(term: string, index: TermIndex, view: SearchView): CountedTerm {
  const exact = index.postings(term)
  const seen = exact && seenBy(view, exact)
  if (seen && seen.rows.length > 0) return seen
  return seenBy(view, term.length < BEGINNING_MIN ? NO_POSTINGS : index.beginningWith(term))
}

const BEGINNING_MIN = 3

function seenBy({ parts, count }: SearchView, { rows, all, declared }: Postings): CountedTerm {
  const seen: CountedTerm = { rows: [], weights: [], rarity: 0 }
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] as number
    const part = parts[row]
    const weight =
      part === EVERYTHING ? (all[at] as number) : part === DECLARED ? (declared[at] as number) : 0
    if (weight === 0) continue
    seen.rows.push(row)
    seen.weights.push(weight)
  }
  const { length } = seen.rows
  seen.rarity = Math.log(1 + (count - length + 0.5) / (length + 0.5))
  return seen
}

/** Puts one among the best, if it is, in its place: of two that are as good, the first row is the better. */
function keepBest(best: Scored[], one: Scored, limit: number): void {
  const isBetter = (other: Scored): boolean =>
    one.score > other.score || (one.score === other.score && one.row < other.row)
  const last = best[limit - 1]
  if (limit < 1 || (last && !isBetter(last))) return
  let at = best.length
  while (at > 0 && isBetter(best[at - 1] as Scored)) at--
  best.splice(at, 0, one)
  best.length = Math.min(best.length, limit)
}
