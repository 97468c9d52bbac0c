import type { Lines } from '../../src/index/encode-index.js'

/** Where a line stands in a store. */
export type StoredLine = number

/** The records of an index as lines, most of them in a store. */
export type StoredLines = Lines<string | StoredLine>

/** The lines that the next compile may write once more: what an index says of a file is always made anew. */
export type KeptLines = Omit<StoredLines, 'files'>

/** Bytes that are asked of the system at a time. */
const CHUNK = 1024 * 1024
/** Bytes in front of a line that hold its length. */
const LENGTH = 4

/**
 * Lines of text, kept as UTF-8 outside of the heap: an index has some hundred thousand, and to the garbage collector
 * they would be most of what it looks at.
 */
export class LineStore {
  readonly #chunks: Buffer[] = []
  #used = 0

  add(line: string): StoredLine {
    const most = LENGTH + 3 * line.length
    let chunk = this.#chunks.at(-1)
    if (chunk === undefined || this.#used + most > CHUNK) {
      chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK, most))
      this.#chunks.push(chunk)
      this.#used = 0
    }
    const start = this.#used
    const length = chunk.write(line, start + LENGTH)
    chunk.writeUInt32LE(length, start)
    this.#used += LENGTH + length
    return (this.#chunks.length - 1) * CHUNK + start
  }

  bytes(line: string | StoredLine): Buffer {
    if (typeof line === 'string') return Buffer.from(line)
    // One that could be longer than a chunk begins a chunk that is long enough, so that every line begins below CHUNK.
    const chunk = this.#chunks[Math.floor(line / CHUNK)]
    if (chunk === undefined) throw new Error('The line is of another store.')
    const start = line % CHUNK
    return chunk.subarray(start + LENGTH, start + LENGTH + chunk.readUInt32LE(start))
  }
}
