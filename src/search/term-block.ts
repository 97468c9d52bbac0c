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
import type { Postings } from './postings.js'
import { LEVELS } from './tool-terms.js'

const SAME = 64
const OTHER = 128
const LEVEL_BITS = 63

/** Writes the terms of a block; the counterpart of `termsIn` and `postingsIn`. */
export class TermBlockWriter {
  readonly #bytes = new Bytes()
  readonly #postings = new Bytes()

  /**
   * Adds a term, unless it has no postings.
   *
   * @param written postings that are written already, with the row to use in place of each of theirs, ascending as those, in `rowOf`;
   * -1 leaves one out
   * @param added others, in no row of those
   * @throws IndexRefused
   */
  add(term: string, written: Uint8Array, rowOf: Int32Array, { rows, all, declared }: Postings): void {
    const postings = new PostingWriter(this.#postings)
    let next = 0
    const addBefore = (end: number): void => {
      for (; next < rows.length && (rows[next] as number) < end; next++)
        postings.add(rows[next] as number, all[next] as number, declared[next] as number)
    }
    for (const reader = new PostingReader(written); reader.next(); ) {
      const row = rowOf[reader.row]
      if (row === undefined) throw invalid()
      if (row === -1) continue
      addBefore(row)
      postings.add(row, reader.all, reader.declared)
    }
    addBefore(Number.POSITIVE_INFINITY)
    if (this.#postings.length > 0) this.addWritten(term, this.#postings.written())
  }

  /** Adds a term with postings that are written already. */
  addWritten(term: string, postings: Uint8Array): void {
    for (const part of [encoder.encode(term), postings]) {
      this.#bytes.addNumber(part.length)
      this.#bytes.add(part)
    }
  }

  /** A copy of what was written. Clears the writer. */
  take(): Uint8Array {
    const block = this.#bytes.written().slice()
    this.#bytes.length = 0
    return block
  }
}

/** Writes postings one after another. */
class PostingWriter {
  #before = -1

  constructor(private readonly bytes: Bytes) {
    bytes.length = 0
  }

  add(row: number, all: number, declared: number): void {
    this.bytes.addNumber(row - this.#before - 1)
    this.bytes.addByte(all + (declared === 0 ? 0 : declared === all ? SAME : OTHER))
    if (declared !== 0 && declared !== all) this.bytes.addByte(declared)
    this.#before = row
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
  for (const reader = new Reader(block); !reader.isAtEnd; ) {
    const term = decoder.decode(reader.take())
    const postings = reader.take()
    for (const posting = new PostingReader(postings); posting.next(); )
      if (posting.row >= rowCount) throw invalid()
    terms.set(term, postings)
  }
  return terms
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
export function keepsBlock(block: Uint8Array, rowOf: Int32Array): boolean {
  for (const reader = new Reader(block); !reader.isAtEnd; ) {
    reader.take()
    if (!keepsRows(reader.take(), rowOf)) return false
  }
  return true
}

/** True if each row of some postings is the same in `rowOf`. */
export function keepsRows(bytes: Uint8Array, rowOf: Int32Array): boolean {
  for (const reader = new PostingReader(bytes); reader.next(); )
    if (rowOf[reader.row] !== reader.row) return false
  return true
}

class Reader {
  #at = 0

  constructor(private readonly bytes: Uint8Array) {}

  get isAtEnd(): boolean {
    return this.#at === this.bytes.length
  }

  byte(): number {
    const byte = this.bytes[this.#at++]
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
    const start = this.#at
    this.#at += length
    if (this.#at > this.bytes.length) throw invalid()
    return this.bytes.subarray(start, this.#at)
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
}

function invalid(): IndexRefused {
  return new IndexRefused('a block of its search file is invalid')
}
