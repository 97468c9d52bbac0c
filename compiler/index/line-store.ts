import type { Lines } from '../../src/index/encode-index.js'
import { EDITED, IndexRefused, parse } from '../../src/index/read-index.js'

/** The position of a line in a store. */
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

/**
 * The lines of a section by key, `"key":{…}` each, not looked at; what writes an index anew copies them.
 *
 * @param text the section, braces and all
 * @throws IndexRefused where there is not one line for each key
 */
export function sectionLines(text: string): Map<string, string> {
  const lines = new Map<string, string>()
  if (text === '{}') return lines
  const rows = text.split('\n')
  const isFramed = rows.shift() === '{' && rows.pop() === '}'
  for (const [number, row] of rows.entries()) {
    const [key] = KEY.exec(row) ?? []
    const isLast = number === rows.length - 1
    if (!key || !(isLast || row.endsWith(','))) throw new IndexRefused(EDITED)
    lines.set(parse(key.slice(0, -1)) as string, isLast ? row : row.slice(0, -1))
  }
  if (!isFramed || lines.size !== rows.length) throw new IndexRefused(EDITED)
  return lines
}

const KEY = /^"[^"\\]*(?:\\.[^"\\]*)*":/
