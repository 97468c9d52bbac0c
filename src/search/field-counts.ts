import { grown } from '../base/grown.js'

/** The fields of a tool that a search looks at: first those that the tool declares. */
export const SEARCH_FIELDS = ['name', 'tags', 'description', 'headings', 'body'] as const
export type SearchField = (typeof SEARCH_FIELDS)[number]

/** A power of two is quicker to multiply by. */
const PLACES = 8

/** How often each term occurs in each field of a tool. Terms are numbers of one vocabulary. */
export class FieldCounts {
  /** The terms in the order of their first occurrence. */
  readonly terms: number[] = []
  /** For each term its counts in the fields, and in the last place 1 once the term has occurred. */
  #counts = new Uint16Array(1024 * PLACES)
  /** How many terms each field has, with repetitions. */
  readonly #lengths = new Uint32Array(SEARCH_FIELDS.length)
  #field = 0

  clear(): void {
    this.#lengths.fill(0)
    // Calling `fill` takes longer than eight numbers.
    for (const term of this.terms)
      for (let at = term * PLACES; at < (term + 1) * PLACES; at++) this.#counts[at] = 0
    this.terms.length = 0
  }

  /** Sets the field that terms are added to. */
  setField(field: SearchField): void {
    this.#field = SEARCH_FIELDS.indexOf(field)
  }

  add(term: number): void {
    this.#lengths[this.#field] = (this.#lengths[this.#field] as number) + 1
    const at = term * PLACES + this.#field
    const count = this.#counts[at]
    if (count) this.#counts[at] = count + 1
    else this.#addFirst(term)
  }

  /** Adds a term that the field does not have yet. */
  #addFirst(term: number): void {
    const start = term * PLACES
    this.#counts = grown(this.#counts, start + PLACES)
    this.#counts[start + this.#field] = 1
    if (this.#counts[start + PLACES - 1] !== 0) return
    this.#counts[start + PLACES - 1] = 1
    this.terms.push(term)
  }

  /** The length of a field in terms; the field is given by its place in `SEARCH_FIELDS`. */
  lengthOf(field: number): number {
    return this.#lengths[field] as number
  }

  /** How often a term occurs in a field, given by its place in `SEARCH_FIELDS`. */
  of(term: number, field: number): number {
    return this.#counts[term * PLACES + field] ?? 0
  }
}
