import { joinPostings, NO_POSTINGS, type Postings, type TermIndex } from './postings.js'
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
  /** How many of them have a term, of the terms that were counted. */
  counts: Map<string, number>
  /** A zero for each row, and as many places, used while ranking: queries of many tools would else fill the memory with such arrays. */
  scores: Float64Array
  touched: Uint32Array
}

/** @param parts what of the tool in each row: `NOTHING`, `DECLARED` or `EVERYTHING` */
export function searchViewOf(parts: Uint8Array): SearchView {
  return {
    parts,
    count: parts.filter(part => part !== NOTHING).length,
    counts: new Map(),
    scores: new Float64Array(parts.length),
    touched: new Uint32Array(parts.length),
  }
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
  const terms = words.map(({ word, term }) => ({ word, ...countTerm(term, index, view) }))
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
    terms.flatMap(({ word, postings }) => (hasRow(postings, row, view) ? [word] : []))
  return { best: best.map(one => ({ ...one, matched: matchedIn(one.row) })), found }
}

/** Adds up the scores of a view's rows. Returns the rows that have one. */
function addScores(terms: readonly CountedTerm[], view: SearchView): Uint32Array {
  const { scores, touched } = view
  let count = 0
  for (const { postings, rarity } of terms) {
    const { rows } = postings
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at] as number
      const weight = weightSeen(postings, at, view)
      if (weight === 0) continue
      const score = scores[row] as number
      if (score === 0) touched[count++] = row
      scores[row] = score + (rarity * weight) / LEVELS
    }
  }
  return touched.subarray(0, count)
}

interface Scored {
  row: number
  score: number
}

/** The tools with a term, and how much that tells of a tool. */
interface CountedTerm {
  postings: Postings
  rarity: number
}

const BEGINNING_MIN = 3
/** Terms that one beginning stands for: more of them say little about what was meant. */
const BEGINNINGS_MAX = 200

/** A term that no tool has is taken as the beginning of others. */
function countTerm(term: string, index: TermIndex, view: SearchView): CountedTerm {
  const exact = index.postings(term) ?? NO_POSTINGS
  const count = view.counts.get(term) ?? countSeen(exact, view)
  if (count > 0) {
    view.counts.set(term, count)
    return { postings: exact, rarity: rarityOf(count, view.count) }
  }
  const postings = term.length < BEGINNING_MIN ? NO_POSTINGS : beginningWith(term, index, view)
  return { postings, rarity: rarityOf(countSeen(postings, view), view.count) }
}

/** The postings of the first terms with a beginning as those of one: of several that a tool has, the strongest. */
function beginningWith(start: string, index: TermIndex, view: SearchView): Postings {
  const several: Postings[] = []
  for (const term of index.beginningWith(start)) {
    const postings = index.postings(term) ?? NO_POSTINGS
    // Terms of tools that the caller may not see must not take the place of others.
    if (countSeen(postings, view) > 0 && several.push(postings) === BEGINNINGS_MAX) break
  }
  return strongest(joinPostings(several))
}

function strongest({ rows, all, declared }: Postings): Postings {
  const places = new Map<number, number>()
  rows.forEach((row, at) => {
    const place = places.get(row)
    if (place === undefined) places.set(row, at)
    else {
      all[place] = Math.max(all[place] as number, all[at] as number)
      declared[place] = Math.max(declared[place] as number, declared[at] as number)
    }
  })
  return {
    rows: Uint32Array.from(places.keys()),
    all: Uint8Array.from(places.values(), at => all[at] as number),
    declared: Uint8Array.from(places.values(), at => declared[at] as number),
  }
}

/** The inverse document frequency of a term that `count` of `total` texts have, as BM25 defines it. */
export function rarityOf(count: number, total: number): number {
  return Math.log(1 + (total - count + 0.5) / (count + 0.5))
}

function countSeen(postings: Postings, view: SearchView): number {
  let count = 0
  for (let at = 0; at < postings.rows.length; at++) if (weightSeen(postings, at, view) > 0) count++
  return count
}

/** The weight of a term in a tool that the caller may see; 0 for what it may not. */
function weightSeen(postings: Postings, at: number, view: SearchView): number {
  const part = view.parts[postings.rows[at] as number]
  return part === EVERYTHING
    ? (postings.all[at] as number)
    : part === DECLARED
      ? (postings.declared[at] as number)
      : 0
}

function hasRow(postings: Postings, row: number, view: SearchView): boolean {
  const at = postings.rows.indexOf(row)
  return at !== -1 && weightSeen(postings, at, view) > 0
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
