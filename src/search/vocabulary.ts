import { grown } from '../base/grown.js'
import { stem } from './stem.js'
import { telling, WORD_MAX, wordsIn } from './words.js'

const SLOT_BITS = 17
/** Words that a vocabulary may hold before it is given up, so that the table does not fill. */
const WORDS_MAX = 2 ** (SLOT_BITS - 1)
/** The numbers of a slot: a word's last eight bytes as two, its term, and its length. */
const [TAIL, HEAD, TERM, LENGTH, SLOT_SIZE] = [0, 1, 2, 3, 4]
const TABLE_SIZE = SLOT_SIZE * 2 ** SLOT_BITS
/** The most slots that are looked at for a word: an author could choose thousands of words that begin at the same one. */
const PROBES_MAX = 64
/** In place of a term's number: a word without a term. Smaller numbers stand for the terms of several words. */
const NONE = -1
const NEWLINE = 10

/**
 * Maps words to the numbers of their terms. Looking up a known word by its bytes, without making a string, takes a quarter
 * of the time.
 */
export class Vocabulary {
  /** The terms by number. */
  readonly #terms: string[] = []
  readonly #numbers = new Map<string, number>()
  /** The number of the term of each word that was asked for as a string. */
  readonly #words = new Map<string, number>()
  /** An open hash table of words. Its slots lie one after another; a free one has no tail. */
  readonly #table = new Int32Array(TABLE_SIZE)
  /** The letters of the words, and the end of each slot's word in them. */
  #letters = new Uint8Array(8 * 2 ** SLOT_BITS)
  readonly #ends = new Uint32Array(2 ** SLOT_BITS)
  #used = 0
  #size = 0
  /** The terms of slots with several; such a slot's term is `NONE` - 1 - a place here. */
  readonly #several: number[][] = []

  get isFull(): boolean {
    return this.#size + this.#words.size > WORDS_MAX
  }

  termAt(number: number): string {
    return this.#terms[number] as string
  }

  /** The number of a word's term. */
  numberOf(word: string): number {
    const known = this.#words.get(word)
    if (known !== undefined) return known
    const number = this.#numberOfTerm(stem(word))
    this.#words.set(word, number)
    return number
  }

  #numberOfTerm(term: string): number {
    const known = this.#numbers.get(term)
    if (known !== undefined) return known
    const number = this.#terms.push(term) - 1
    this.#numbers.set(term, number)
    return number
  }

  /**
   * Counts the terms of a line, without words that say nothing.
   *
   * @param bytes a text in UTF-8
   * @returns the end of the line
   */
  countLine(bytes: Uint8Array, start: number, counts: FieldCounts): number {
    let wordStart = start
    let [head, tail] = [0, 0]
    for (let at = start; ; at++) {
      const byte = at < bytes.length ? (bytes[at] as number) : NEWLINE
      const letter = LETTERS[byte] as number
      if (letter !== 0) {
        head = (head << 8) | (tail >>> 24)
        tail = (tail << 8) | letter
        continue
      }
      if (tail !== 0) {
        this.#countRun(bytes, wordStart, at, head, tail, counts)
        head = 0
        tail = 0
      }
      if (byte === NEWLINE) return at
      wordStart = at + 1
    }
  }

  /** Counts the terms of bytes without separators in ASCII: of one word, if all of them are ASCII. */
  #countRun(
    bytes: Uint8Array,
    start: number,
    end: number,
    head: number,
    tail: number,
    counts: FieldCounts,
  ): void {
    const term = end - start > WORD_MAX ? undefined : this.#find(bytes, start, end, head, tail)
    if (term === undefined) {
      for (const word of telling(wordsIn(decoder.decode(bytes.subarray(start, end)))))
        counts.add(this.numberOf(word))
      return
    }
    if (term >= 0) counts.add(term)
    else if (term < NONE) for (const one of this.#several[NONE - 1 - term] as number[]) counts.add(one)
  }

  /** Undefined for a word that has no room near its slot. */
  #find(bytes: Uint8Array, start: number, end: number, head: number, tail: number): number | undefined {
    const table = this.#table
    let probes = 0
    const hash = Math.imul(head, 31) ^ Math.imul(tail, 0x9e3779b1)
    let slot = (hash >>> (32 - SLOT_BITS)) * SLOT_SIZE
    for (; table[slot + TAIL] !== 0; slot = (slot + SLOT_SIZE) % TABLE_SIZE) {
      if (table[slot + TAIL] === tail && table[slot + HEAD] === head && this.#isWord(slot, bytes, start, end))
        return table[slot + TERM] as number
      if (++probes === PROBES_MAX) return undefined
    }
    table[slot + TAIL] = tail
    table[slot + HEAD] = head
    table[slot + LENGTH] = end - start
    const term = this.#add(slot, bytes.subarray(start, end))
    table[slot + TERM] = term
    return term
  }

  /** True for a slot's word, if its last eight bytes are those. */
  #isWord(slot: number, bytes: Uint8Array, start: number, end: number): boolean {
    if (this.#table[slot + LENGTH] !== end - start) return false
    if (end - start <= 8) return true
    const from = (this.#ends[slot / SLOT_SIZE] as number) - end
    for (let at = start; at < end - 8; at++)
      if (this.#letters[from + at] !== LETTERS[bytes[at] as number]) return false
    return true
  }

  #add(slot: number, run: Uint8Array): number {
    const letters = run.map(byte => LETTERS[byte] as number)
    this.#letters = grown(this.#letters, this.#used + letters.length)
    this.#letters.set(letters, this.#used)
    this.#used += letters.length
    this.#ends[slot / SLOT_SIZE] = this.#used
    this.#size++
    const word = String.fromCharCode(...letters)
    const words = /[^\0-\x7f]/.test(word) ? wordsIn(decoder.decode(run)) : [word]
    const terms = telling(words).map(one => this.#numberOfTerm(stem(one)))
    const [term = NONE] = terms
    return terms.length > 1 ? NONE - this.#several.push(terms) : term
  }
}

const decoder = new TextDecoder()

/** For each byte the code of the letter in lower case, or of the digit; 0 for other ASCII characters; all other bytes themselves. */
const LETTERS = Uint8Array.from({ length: 256 }, (_, code) => {
  if (code > 127) return code
  const character = String.fromCharCode(code).toLowerCase()
  return /[a-z0-9]/.test(character) ? character.charCodeAt(0) : 0
})

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
