import { grown } from '../base/grown.js'
import { stem } from './stem.js'

/** Slots of the table. */
const SLOTS = 2 ** 17
/** Words that a vocabulary may hold before it is given up, so that the table does not fill. */
const WORDS_MAX = SLOTS / 2
/** Longer runs of letters are encoded data. */
export const WORD_MAX = 64
const NEWLINE = 10

/**
 * Maps words to the numbers of their terms. Looking up a known word by its bytes, without making a string, takes a quarter
 * of the time.
 */
export class Vocabulary {
  /** The terms by number. */
  readonly #terms: string[] = []
  readonly #numbers = new Map<string, number>()
  /** The number of the term of each word. */
  readonly #words = new Map<string, number>()
  /** An open hash table of words in ASCII: the hash of each, and where its letters end in `#letters`; 0 for a free slot. */
  readonly #hashes = new Int32Array(SLOTS)
  readonly #ends = new Uint32Array(SLOTS)
  readonly #lengths = new Uint8Array(SLOTS)
  /** The number of the term of each; -1 for a word that says nothing. */
  readonly #termOf = new Int32Array(SLOTS)
  #letters = new Uint8Array(8 * SLOTS)
  #used = 0
  #size = 0

  /** @param stopWords words that say nothing about a task */
  constructor(private readonly stopWords: ReadonlySet<string>) {}

  get isFull(): boolean {
    return this.#size > WORDS_MAX
  }

  termAt(number: number): string {
    return this.#terms[number] as string
  }

  /** The number of a word's term. */
  numberOf(word: string): number {
    const known = this.#words.get(word)
    if (known !== undefined) return known
    const term = stem(word)
    const number = this.#numbers.get(term) ?? this.#terms.push(term) - 1
    this.#numbers.set(term, number)
    this.#words.set(word, number)
    this.#size++
    return number
  }

  /**
   * Adds the numbers of the terms of a line, without words that say nothing.
   *
   * @returns the end of the line; null if it is not ASCII
   */
  addAscii(bytes: Uint8Array, start: number, to: number[]): number | null {
    let wordStart = start
    let hash = 0
    for (let at = start; ; at++) {
      const byte = at < bytes.length ? (bytes[at] as number) : NEWLINE
      if (byte > 127) return null
      const letter = LETTERS[byte] as number
      if (letter !== 0) {
        hash = (Math.imul(hash, 31) + letter) | 0
        continue
      }
      if (at > wordStart && at - wordStart <= WORD_MAX) {
        const number = this.#find(bytes, wordStart, at, hash)
        if (number !== -1) to.push(number)
      }
      if (byte === NEWLINE) return at
      wordStart = at + 1
      hash = 0
    }
  }

  #find(bytes: Uint8Array, start: number, end: number, hash: number): number {
    let slot = (hash ^ (hash >>> 15)) & (SLOTS - 1)
    for (; this.#ends[slot] !== 0; slot = (slot + 1) & (SLOTS - 1))
      if (this.#hashes[slot] === hash && this.#isWord(slot, bytes, start, end))
        return this.#termOf[slot] as number
    return this.#add(slot, hash, bytes, start, end)
  }

  #isWord(slot: number, bytes: Uint8Array, start: number, end: number): boolean {
    if (this.#lengths[slot] !== end - start) return false
    const from = (this.#ends[slot] as number) - end
    for (let at = start; at < end; at++)
      if (this.#letters[from + at] !== LETTERS[bytes[at] as number]) return false
    return true
  }

  #add(slot: number, hash: number, bytes: Uint8Array, start: number, end: number): number {
    const letters = bytes.subarray(start, end).map(byte => LETTERS[byte] as number)
    const word = String.fromCharCode(...letters)
    this.#letters = grown(this.#letters, this.#used + letters.length)
    this.#letters.set(letters, this.#used)
    this.#used += letters.length
    this.#size++
    this.#hashes[slot] = hash
    this.#ends[slot] = this.#used
    this.#lengths[slot] = letters.length
    const number = this.stopWords.has(word) ? -1 : this.numberOf(word)
    this.#termOf[slot] = number
    return number
  }
}

/** For each ASCII character the code of the letter in lower case, or of the digit; 0 for all others. */
const LETTERS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code).toLowerCase()
  return /[a-z0-9]/.test(character) ? character.charCodeAt(0) : 0
})
