import { NO_POSTINGS, type TermIndex } from './postings.js'
import { LEVELS } from './tool-terms.js'
import type { QueryWord } from './words.js'

/** The part of a tool that a caller may search. */
export const NOTHING = 0
export const DECLARED = 1
export const EVERYTHING = 2

/** The tools as one caller may search them. */
export interface SearchView {
  /** The part of the tool in each row that is searched: `NOTHING`, `DECLARED` or `EVERYTHING`. */
  parts: Uint8Array
  /** How many have more than nothing. */
  count: number
  /** The terms looked up so far: later queries do not touch the postings that the caller may not search. */
  seen: Map<string, SeenTerm>
  /** The size of `seen`, in postings. */
  seenSize: number
  /** A zero for each row, and as many places, used while ranking: queries of many tools would else fill the memory with such arrays. */
  scores: Float64Array
  touched: Uint32Array
}

/** @param parts what of the tool in each row: `NOTHING`, `DECLARED` or `EVERYTHING` */
export function searchViewOf(parts: Uint8Array): SearchView {
  return {
    parts,
    count: parts.filter(part => part !== NOTHING).length,
    seen: new Map(),
    seenSize: 0,
    scores: new Float64Array(parts.length),
    touched: new Uint32Array(parts.length),
  }
}

/** The tools with a term that the caller may search. */
interface SeenPostings {
  rows: Uint32Array
  /** The term's weight in each, in the part that is searched; at least 1. */
  weights: Uint8Array
}

interface SeenTerm extends SeenPostings {
  /** The weight of the term in a query: how much it says about a tool. */
  rarity: number
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
  const terms = words.map(({ word, term }) => ({ word, ...lookUp(term, index, view) }))
  const touched = addScores(terms, view)
  const best: Scored[] = []
  let found = 0
  for (const row of touched) {
    const score = view.scores[row] as number
    view.scores[row] = 0
    if (!isWanted(row)) continue
    found++
    const last = best[limit - 1]
    if (last === undefined || isBetter(score, row, last)) keepBest(best, row, score, limit)
  }
  const matchedIn = (row: number): string[] =>
    terms.flatMap(({ word, rows }) => (rows.includes(row) ? [word] : []))
  return { best: best.map(one => ({ ...one, matched: matchedIn(one.row) })), found }
}

/** Adds up the scores of a view's rows. Returns the rows that have one. */
function addScores(terms: readonly SeenTerm[], { scores, touched }: SearchView): Uint32Array {
  let count = 0
  for (const { rows, weights, rarity } of terms)
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at] as number
      const score = scores[row] as number
      if (score === 0) touched[count++] = row
      scores[row] = score + (rarity * (weights[at] as number)) / LEVELS
    }
  return touched.subarray(0, count)
}

interface Scored {
  row: number
  score: number
}

const BEGINNING_MIN = 3
/** Terms that one beginning stands for: more of them say little about what was meant. */
const BEGINNINGS_MAX = 200
/** A view forgets its terms before they exceed this many postings. Each term itself counts as `TERM_POSTINGS`, about the memory it takes. */
const SEEN_MAX = 2 ** 20
const TERM_POSTINGS = 64

/** Looks a term up. If no tool that the caller may search has it, it is taken as the beginning of others. */
function lookUp(term: string, index: TermIndex, view: SearchView): SeenTerm {
  const known = view.seen.get(term)
  if (known) return known
  const exact = postingsSeen(term, index, view)
  const isBeginning = exact.rows.length === 0 && term.length >= BEGINNING_MIN
  const postings = isBeginning ? beginningWith(term, index, view) : exact
  const seen = { ...postings, rarity: rarityOf(postings.rows.length, view.count) }
  const size = TERM_POSTINGS + seen.rows.length
  if (view.seenSize + size > SEEN_MAX) {
    view.seen.clear()
    view.seenSize = 0
  }
  view.seen.set(term, seen)
  view.seenSize += size
  return seen
}

/** The postings of the first terms with a beginning as those of one: of several that a tool has, the strongest. */
function beginningWith(start: string, index: TermIndex, view: SearchView): SeenPostings {
  const strongest = new Map<number, number>()
  let terms = 0
  for (const term of index.beginningWith(start)) {
    const { rows, weights } = postingsSeen(term, index, view)
    // Terms of tools that the caller may not see must not take the place of others.
    if (rows.length === 0) continue
    rows.forEach((row, at) => {
      strongest.set(row, Math.max(strongest.get(row) ?? 0, weights[at] as number))
    })
    if (++terms === BEGINNINGS_MAX) break
  }
  return { rows: Uint32Array.from(strongest.keys()), weights: Uint8Array.from(strongest.values()) }
}

function postingsSeen(term: string, index: TermIndex, { parts }: SearchView): SeenPostings {
  const { rows, all, declared } = index.postings(term) ?? NO_POSTINGS
  const seen = { rows: new Uint32Array(rows.length), weights: new Uint8Array(rows.length) }
  let count = 0
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] as number
    const part = parts[row]
    const weight = part === EVERYTHING ? all[at] : part === DECLARED ? declared[at] : 0
    if (!weight) continue
    seen.rows[count] = row
    seen.weights[count++] = weight
  }
  return { rows: seen.rows.slice(0, count), weights: seen.weights.slice(0, count) }
}

/** The inverse document frequency of a term that `count` of `total` texts have, as BM25 defines it. */
export function rarityOf(count: number, total: number): number {
  return Math.log(1 + (total - count + 0.5) / (count + 0.5))
}

/** True where a row is better than another: of two that are as good, the first is. */
function isBetter(score: number, row: number, other: Scored): boolean {
  return score > other.score || (score === other.score && row < other.row)
}

/** Puts a row in its place among the best. */
function keepBest(best: Scored[], row: number, score: number, limit: number): void {
  let at = best.length
  while (at > 0 && isBetter(score, row, best[at - 1] as Scored)) at--
  best.splice(at, 0, { row, score })
  best.length = Math.min(best.length, limit)
}
