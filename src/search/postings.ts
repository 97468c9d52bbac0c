/** The tools that have a term. */
export interface Postings {
  /** Their rows. */
  rows: Uint32Array
  /** The term's weight in each, as `ToolTerms` has them. */
  all: Uint8Array
  declared: Uint8Array
}

export const NO_POSTINGS: Postings = joinPostings([])

/** Postings by term. */
export interface TermIndex {
  postings: (term: string) => Postings | undefined
  /** The terms with the prefix `start`, in ascending order. */
  beginningWith: (start: string) => Iterable<string>
}

/** The postings of several terms, or of one term in several indexes, one after another. */
export function joinPostings(several: readonly Postings[]): Postings {
  const length = several.reduce((sum, { rows }) => sum + rows.length, 0)
  const joined = {
    rows: new Uint32Array(length),
    all: new Uint8Array(length),
    declared: new Uint8Array(length),
  }
  let at = 0
  for (const { rows, all, declared } of several) {
    joined.rows.set(rows, at)
    joined.all.set(all, at)
    joined.declared.set(declared, at)
    at += rows.length
  }
  return joined
}

/** Several indexes as one, which keeps the postings of the terms that were looked up. */
export function joinIndexes(indexes: readonly TermIndex[]): TermIndex {
  const known = new Map<string, Postings>()
  return {
    postings(term) {
      const before = known.get(term)
      if (before) return before
      const found = indexes.flatMap(index => index.postings(term) ?? [])
      if (found.length === 0) return undefined
      const postings = found.length === 1 ? (found[0] as Postings) : joinPostings(found)
      known.set(term, postings)
      return postings
    },
    beginningWith: start => [...new Set(indexes.flatMap(index => [...index.beginningWith(start)]))].sort(),
  }
}
