import type { ToolTerms } from './tool-terms.js'

/** The tools that have a term. */
export interface Postings {
  /** Their rows, ascending. */
  rows: number[]
  /** The term's weight in each, as `ToolTerms` has them. */
  all: number[]
  declared: number[]
}

export const NO_POSTINGS: Postings = { rows: [], all: [], declared: [] }

/** Postings by term. */
export interface TermIndex {
  postings: (term: string) => Postings | undefined
  /**
   * Those of the first terms that begin with a text, at most `BEGINNINGS_MAX`, as those of one: of several that a
   * tool has, the strongest.
   */
  beginningWith: (start: string) => Postings
}

/** Terms that one beginning stands for: more of them say little about what was meant. */
const BEGINNINGS_MAX = 200

/** @param tools the terms of each tool, in order of row */
export function indexTerms(tools: readonly ToolTerms[]): TermIndex {
  const byTerm = new Map<string, Postings>()
  tools.forEach(({ terms, all, declared }, row) => {
    terms.forEach((term, at) => {
      const known = byTerm.get(term) ?? { rows: [], all: [], declared: [] }
      known.rows.push(row)
      known.all.push(all[at] ?? 0)
      known.declared.push(declared[at] ?? 0)
      byTerm.set(term, known)
    })
  })
  let sorted: string[] | undefined
  return {
    postings: term => byTerm.get(term),
    beginningWith(start) {
      sorted ??= [...byTerm.keys()].sort()
      const several: Postings[] = []
      const first = firstFrom(sorted, start)
      for (let at = first; at < first + BEGINNINGS_MAX && sorted[at]?.startsWith(start); at++)
        several.push(byTerm.get(sorted[at] ?? '') ?? NO_POSTINGS)
      return strongest(several)
    },
  }
}

/** The place of the first of some sorted texts that is not less than one. */
function firstFrom(sorted: readonly string[], text: string): number {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((sorted[middle] ?? '') < text) from = middle + 1
    else to = middle
  }
  return from
}

function strongest(several: readonly Postings[]): Postings {
  const byRow = new Map<number, [all: number, declared: number]>()
  for (const { rows, all, declared } of several)
    rows.forEach((row, at) => {
      const [most, mostDeclared] = byRow.get(row) ?? [0, 0]
      byRow.set(row, [Math.max(most, all[at] ?? 0), Math.max(mostDeclared, declared[at] ?? 0)])
    })
  const sorted = [...byRow].sort(([a], [b]) => a - b)
  return {
    rows: sorted.map(([row]) => row),
    all: sorted.map(([, [all]]) => all),
    declared: sorted.map(([, [, declared]]) => declared),
  }
}
