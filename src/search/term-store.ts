import { firstFrom } from '../base/first-from.js'
import { grown } from '../base/grown.js'
import type { Postings, TermIndex } from './postings.js'
import type { ToolTerms } from './tool-terms.js'
import type { Vocabulary } from './vocabulary.js'

/** Position of a tool's terms in a store. */
export type StoredTerms = number

/** The terms of many tools, as numbers outside of the heap: a compile of 100,000 skills holds nine million of them. */
export class TermStore {
  readonly #numbers = new Map<string, number>()
  /** For each tool the count of its terms, then the number of each. */
  #terms = new Uint32Array(1024)
  /** The weights of the terms at the same positions: `all` in the upper byte, `declared` in the lower. */
  #weights = new Uint16Array(1024)
  #used = 0
  #vocabulary: Vocabulary | undefined
  /** The numbers of the terms of that vocabulary, plus 1; 0 for those that were not met. */
  #known = new Uint32Array(0)

  add({ terms, vocabulary, all, declared }: ToolTerms): StoredTerms {
    const start = this.#used
    this.#used += 1 + terms.length
    this.#terms = grown(this.#terms, this.#used)
    this.#weights = grown(this.#weights, this.#used)
    this.#terms[start] = terms.length
    for (let index = 0; index < terms.length; index++) {
      this.#terms[start + 1 + index] = this.#numberOf(terms[index] as number, vocabulary)
      this.#weights[start + 1 + index] = ((all[index] as number) << 8) | (declared[index] as number)
    }
    return start
  }

  /** The number of a term of a vocabulary. Nearly all come from one, whose numbers are quicker to look up than its texts. */
  #numberOf(term: number, vocabulary: Vocabulary): number {
    if (vocabulary !== this.#vocabulary) {
      this.#vocabulary = vocabulary
      this.#known = new Uint32Array(1024)
    }
    this.#known = grown(this.#known, term + 1)
    const known = this.#known[term] as number
    if (known > 0) return known - 1
    const text = vocabulary.termAt(term)
    const number = this.#numbers.get(text) ?? this.#numbers.size
    this.#numbers.set(text, number)
    this.#known[term] = number + 1
    return number
  }

  /**
   * Makes the postings of tools.
   *
   * @param tools the terms of the tool in each row; null in a row without
   */
  index(tools: readonly (StoredTerms | null)[]): SortedIndex {
    const [terms, weights, numbers] = [this.#terms, this.#weights, this.#numbers]
    /** The offset of each term's first posting, indexed by the term's number. */
    const starts = new Uint32Array(numbers.size + 1)
    for (const start of tools)
      for (let at = endOf(terms, start); start !== null && at > start; at--)
        starts[(terms[at] as number) + 1] = (starts[(terms[at] as number) + 1] as number) + 1
    for (let number = 1; number < starts.length; number++)
      starts[number] = (starts[number] as number) + (starts[number - 1] as number)
    const total = starts[numbers.size] as number
    const postings = {
      rows: new Uint32Array(total),
      all: new Uint8Array(total),
      declared: new Uint8Array(total),
    }
    const next = starts.slice()
    tools.forEach((start, row) => {
      for (let at = endOf(terms, start); start !== null && at > start; at--) {
        const number = terms[at] as number
        const place = next[number] as number
        next[number] = place + 1
        postings.rows[place] = row
        postings.all[place] = (weights[at] as number) >> 8
        postings.declared[place] = (weights[at] as number) & 0xff
      }
    })
    return new SortedIndex(numbers, starts, postings)
  }
}

function endOf(terms: Uint32Array, start: StoredTerms | null): number {
  return start === null ? 0 : start + (terms[start] as number)
}

/** The postings of all terms one after another, those of each in the order of rows. */
export class SortedIndex implements TermIndex {
  #sorted: string[] | undefined

  constructor(
    private readonly numbers: ReadonlyMap<string, number>,
    private readonly starts: Uint32Array,
    private readonly all: Postings,
  ) {}

  /** All terms in ascending order, also those that no row has. */
  get terms(): readonly string[] {
    this.#sorted ??= [...this.numbers.keys()].sort()
    return this.#sorted
  }

  postings(term: string): Postings | undefined {
    const number = this.numbers.get(term)
    if (number === undefined) return undefined
    const [start, end] = [this.starts[number] as number, this.starts[number + 1] as number]
    const { rows, all, declared } = this.all
    return {
      rows: rows.subarray(start, end),
      all: all.subarray(start, end),
      declared: declared.subarray(start, end),
    }
  }

  *beginningWith(start: string): Iterable<string> {
    const { terms } = this
    for (let at = firstFrom(terms, start); terms[at]?.startsWith(start); at++) yield terms[at] as string
  }
}
