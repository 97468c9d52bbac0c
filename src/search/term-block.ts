/**
 * Terms in ascending order with their postings, as bytes. Numbers are varints: seven bits a byte, the lowest first, and the
 * highest bit of each byte but the last.
 *
 *     term:    bytes of its UTF-8 · UTF-8 · bytes of its postings · postings, by ascending row
 *     posting: row − row before − 1 (of the first: the row) · a byte, `all` plus 64 times
 *              0: `declared` is 0 · 1: `declared` is `all` · 2: a byte with `declared` follows
 */
import { grown } from '../base/grown.js'
import { IndexRefused } from '../index/read-index.js'
import { NO_POSTINGS, type Postings, type TermIndex } from './postings.js'
import { LEVELS } from './tool-terms.js'

const SAME = 64
const OTHER = 128
const LEVEL_BITS = 63

/** Writes the terms of blocks; the counterpart of `termsIn` and `postingsIn`. */
export class TermBlockWriter {
  readonly #bytes = new Bytes()
  readonly #postings = new Bytes()

  /**
   * Writes a block with the terms of a previous one and others.
   *
   * @param rowOf gives the row to use in place of each row of the previous block, ascending as those; -1 leaves a row out
   * @param added the other terms, in ascending order; none has a posting in a row that `rowOf` gives
   * @returns the previous block itself if nothing in it changes
   * @throws IndexRefused
   */
  merge(previous: Uint8Array, rowOf: Int32Array, added: readonly string[], terms: TermIndex): Uint8Array {
    if (added.length === 0 && keepsBlock(previous, rowOf)) return previous
    this.#bytes.length = 0
    let next = 0
    let before = ''
    for (const reader = new Reader(previous); !reader.isAtEnd; ) {
      const label = reader.take()
      const written = reader.take()
      // Only a block that gets terms needs its own decoded.
      const term = added.length > 0 ? termAfter(before, label) : ''
      before = term
      for (; next < added.length && (added[next] as string) < term; next++)
        this.#addNew(added[next] as string, terms)
      const isAdded = next < added.length && added[next] === term
      this.#add(label, written, rowOf, isAdded ? terms.postings(added[next++] as string) : NO_POSTINGS)
    }
    for (; next < added.length; next++) this.#addNew(added[next] as string, terms)
    return this.#bytes.written().slice()
  }

  #addNew(term: string, terms: TermIndex): void {
    this.#add(encoder.encode(term), NO_BYTES, NO_ROWS, terms.postings(term))
  }

  /** Adds a term with postings that were written before and new ones, unless it has none. */
  #add(label: Uint8Array, written: Uint8Array, rowOf: Int32Array, added = NO_POSTINGS): void {
    const postings = new PostingWriter(this.#postings)
    let next = 0
    for (const reader = new PostingReader(written); ; ) {
      // As long as no row has moved, postings are copied as they are, up to the next added row.
      if (reader.row === postings.row)
        postings.addWritten(reader.takeKept(rowOf, added.rows[next]), reader.row)
      if (!reader.next()) break
      const row = rowOf[reader.row]
      if (row === undefined) throw invalid()
      if (row === -1) continue
      next = postings.addBefore(row, added, next)
      postings.add(row, reader.all, reader.declared)
    }
    postings.addBefore(Number.POSITIVE_INFINITY, added, next)
    if (this.#postings.length > 0) this.#addWritten(label, this.#postings.written())
  }

  #addWritten(label: Uint8Array, postings: Uint8Array): void {
    for (const part of [label, postings]) {
      this.#bytes.addNumber(part.length)
      this.#bytes.add(part)
    }
  }
}

const NO_BYTES = new Uint8Array()
const NO_ROWS = new Int32Array()

/** Writes postings one after another. */
class PostingWriter {
  /** The last row written. */
  row = -1

  constructor(private readonly bytes: Bytes) {
    bytes.length = 0
  }

  add(row: number, all: number, declared: number): void {
    this.bytes.addNumber(row - this.row - 1)
    this.bytes.addByte(all + (declared === 0 ? 0 : declared === all ? SAME : OTHER))
    if (declared !== 0 && declared !== all) this.bytes.addByte(declared)
    this.row = row
  }

  /** Adds postings from the given place on whose rows are before `end`. Returns the next place. */
  addBefore(end: number, { rows, all, declared }: Postings, from: number): number {
    let at = from
    for (; at < rows.length && (rows[at] as number) < end; at++)
      this.add(rows[at] as number, all[at] as number, declared[at] as number)
    return at
  }

  /** Adds postings that were written after the same row. */
  addWritten(postings: Uint8Array, lastRow: number): void {
    this.bytes.add(postings)
    this.row = lastRow
  }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

class Bytes {
  length = 0
  #bytes = new Uint8Array(4096)

  written(): Uint8Array {
    return this.#bytes.subarray(0, this.length)
  }

  add(bytes: Uint8Array): void {
    this.#bytes = grown(this.#bytes, this.length + bytes.length)
    this.#bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  addNumber(value: number): void {
    let rest = value
    for (; rest > 127; rest >>>= 7) this.addByte((rest & 127) + 128)
    this.addByte(rest)
  }

  addByte(value: number): void {
    this.#bytes = grown(this.#bytes, this.length + 1)
    this.#bytes[this.length++] = value
  }
}

/**
 * The terms of a block, each with its postings as bytes.
 *
 * @param rowCount the number of rows of the file
 * @throws IndexRefused also for postings that are malformed or of rows that the file does not have
 */
export function termsIn(block: Uint8Array, rowCount: number): Map<string, Uint8Array> {
  const terms = new Map<string, Uint8Array>()
  let before = ''
  for (const reader = new Reader(block); !reader.isAtEnd; ) {
    const term = termAfter(before, reader.take())
    before = term
    const postings = reader.take()
    for (const posting = new PostingReader(postings); posting.next(); )
      if (posting.row >= rowCount) throw invalid()
    terms.set(term, postings)
  }
  return terms
}

/** Decodes a term. One that is not after the term before would hide others when blocks are merged. */
function termAfter(before: string, label: Uint8Array): string {
  const term = decoder.decode(label)
  if (term <= before) throw invalid()
  return term
}

/**
 * The postings of a term of a block.
 *
 * @param rowOf gives the row to use in place of each row of the file, ascending as those; -1 leaves a row out
 * @throws IndexRefused
 */
export function postingsIn(bytes: Uint8Array, rowOf: Int32Array): Postings {
  // A posting takes two bytes or more.
  const most = bytes.length >> 1
  const rows = new Uint32Array(most)
  const all = new Uint8Array(most)
  const declared = new Uint8Array(most)
  let count = 0
  for (const reader = new PostingReader(bytes); reader.next(); ) {
    const row = rowOf[reader.row]
    if (row === undefined) throw invalid()
    if (row === -1) continue
    rows[count] = row
    all[count] = reader.all
    declared[count] = reader.declared
    count++
  }
  return { rows: rows.subarray(0, count), all: all.subarray(0, count), declared: declared.subarray(0, count) }
}

/** True if each row of each posting of a block is the same in `rowOf`. */
function keepsBlock(block: Uint8Array, rowOf: Int32Array): boolean {
  for (const reader = new Reader(block); !reader.isAtEnd; ) {
    reader.take()
    const postings = new PostingReader(reader.take())
    postings.takeKept(rowOf)
    if (!postings.isAtEnd) return false
  }
  return true
}

class Reader {
  protected at = 0

  constructor(protected readonly bytes: Uint8Array) {}

  get isAtEnd(): boolean {
    return this.at === this.bytes.length
  }

  byte(): number {
    const byte = this.bytes[this.at++]
    if (byte === undefined) throw invalid()
    return byte
  }

  number(): number {
    let value = 0
    for (let shift = 0; shift <= 21; shift += 7) {
      const byte = this.byte()
      value |= (byte & 127) << shift
      if (byte < 128) return value
    }
    throw invalid()
  }

  /** Reads a count, then so many bytes. */
  take(): Uint8Array {
    const length = this.number()
    const start = this.at
    this.at += length
    if (this.at > this.bytes.length) throw invalid()
    return this.bytes.subarray(start, this.at)
  }
}

/** Reads postings one after another. */
class PostingReader extends Reader {
  row = -1
  all = 0
  declared = 0

  /** False at the end. */
  next(): boolean {
    if (this.isAtEnd) return false
    this.row += 1 + this.number()
    const byte = this.byte()
    this.all = byte & LEVEL_BITS
    this.declared = byte >= OTHER ? this.byte() : byte >= SAME ? this.all : 0
    if (this.all === 0 || this.declared > LEVELS || byte >= SAME + OTHER) throw invalid()
    return true
  }

  /** The bytes of the next postings whose rows `rowOf` keeps as they are, up to the row `end`. */
  takeKept(rowOf: Int32Array, end = Number.POSITIVE_INFINITY): Uint8Array {
    const start = this.at
    let { at, row } = this
    while (this.next() && this.row < end && rowOf[this.row] === this.row) [at, row] = [this.at, this.row]
    this.at = at
    this.row = row
    return this.bytes.subarray(start, at)
  }
}

function invalid(): IndexRefused {
  return new IndexRefused('a block of its search file is invalid')
}
