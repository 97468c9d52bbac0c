/**
 * The search file of an index, `.agent-apps/search-<digest>.bin`: the terms of its tools, so that a query reads a block for each
 * of its terms and no skill.
 *
 *     table   the number of rows, and how many of them are of broken tools: 8 hexadecimal digits each
 *             512 entries of 40 hexadecimal digits: the digest of a block, the first 32 of its SHA-256, and its bytes, 8
 *     256 blocks of terms (`term-block.ts`); a term is in block number `blockOf(term)`
 *     256 blocks of rows, as many in each as are needed: the names in lines, with `!` before that of a broken tool
 *
 * The rows are those of the index's list. The digest in the file's name is that of the table, from which follow all others.
 */
import type { EncodedPart } from '../index/encode-index.js'
import { INDEX_DIRECTORY, shardOf } from '../index/index-format.js'
import { IndexRefused } from '../index/read-index.js'
import { isName } from '../skill/names.js'
import type { TermIndex } from './postings.js'
import { postingsIn, TermBlockWriter, termsIn } from './term-block.js'
import type { SortedIndex } from './term-store.js'

const BLOCKS = 256
const NUMBER = 8
const DIGEST = 32
const ENTRY = DIGEST + NUMBER
const COUNTS = 2 * NUMBER
export const TABLE_BYTES = COUNTS + 2 * BLOCKS * ENTRY

/** The letters of a term that decide on its block: all terms that a beginning stands for are in one. */
const BEGINNING = 3
const BROKEN = '!'

const NO_BYTES = new Uint8Array()

type DigestOf = (bytes: Uint8Array) => string

/** A row of a search file. A broken tool is in its row, so that no other takes its name. */
export interface SearchRow {
  name: string
  isBroken: boolean
}

/** The search file of the last compile. */
export interface KeptSearch {
  file: WholeSearch
  /** True for the name of a tool whose terms are still valid. */
  isKept: (name: string) => boolean
}

/**
 * Writes a search file; the counterpart of `SearchFile` and `wholeSearch`.
 *
 * @param rows in ascending order of name
 * @param terms the terms of the tools whose terms are not kept
 */
export function encodeSearch(
  rows: readonly SearchRow[],
  terms: SortedIndex,
  kept: KeptSearch | null,
  digestOf: DigestOf,
): EncodedPart {
  const fresh = Array.from({ length: BLOCKS }, (): string[] => [])
  for (const term of terms.terms) fresh[blockOf(term)]?.push(term)
  const rowOf = kept ? keptRows(kept, rows) : new Int32Array()
  const writer = new TermBlockWriter()
  const blocks = fresh.map((added, number) => {
    const block = kept?.file.blocks[number] ?? NO_BYTES
    return writer.merge(block, rowOf, added, terms)
  })
  const perBlock = rowsPerBlock(rows.length)
  for (let number = 0; number < BLOCKS; number++) {
    const lines = rows.slice(number * perBlock, (number + 1) * perBlock)
    const text = lines.map(({ name, isBroken }) => (isBroken ? BROKEN + name : name)).join('\n')
    blocks.push(new TextEncoder().encode(text))
  }
  return withTable(rows, blocks, digestOf)
}

/** The new row of each row of the last search file; -1 if its terms are not kept. Both are in the order of names. */
function keptRows({ file, isKept }: KeptSearch, rows: readonly SearchRow[]): Int32Array {
  let row = 0
  return Int32Array.from(file.rows, ({ name }) => {
    while (row < rows.length && (rows[row] as SearchRow).name < name) row++
    return rows[row]?.name === name && isKept(name) ? row : -1
  })
}

function withTable(
  rows: readonly SearchRow[],
  blocks: readonly Uint8Array[],
  digestOf: DigestOf,
): EncodedPart {
  const entries = blocks.map(block => digestOf(block).slice(0, DIGEST) + hexadecimal(block.length))
  const broken = rows.filter(({ isBroken }) => isBroken).length
  const counts = hexadecimal(rows.length) + hexadecimal(broken)
  const table = new TextEncoder().encode(counts + entries.join(''))
  const bytes = new Uint8Array(blocks.reduce((sum, { length }) => sum + length, table.length))
  let at = 0
  for (const part of [table, ...blocks]) {
    bytes.set(part, at)
    at += part.length
  }
  const digest = digestOf(table).slice(0, DIGEST)
  return { file: searchFile(digest), digest, bytes }
}

/** The path of a search file, relative to the directory. */
export function searchFile(digest: string): string {
  return `${INDEX_DIRECTORY}/search-${digest}.bin`
}

function hexadecimal(number: number): string {
  return number.toString(16).padStart(8, '0')
}

function blockOf(term: string): number {
  return shardOf(term.slice(0, BEGINNING), BLOCKS)
}

function rowsPerBlock(rows: number): number {
  return Math.ceil(rows / BLOCKS)
}

/** The table of a search file: the place of each block, and its digest. */
interface Table {
  rows: number
  /** How many rows are of broken tools. */
  broken: number
  blocks: { start: number; end: number; digest: string }[]
}

/** @throws IndexRefused unless the table has the digest, and describes blocks that fill the file */
function readTable(bytes: Uint8Array, size: number, digest: string, digestOf: DigestOf): Table {
  const text = new TextDecoder().decode(bytes)
  if (!/^[0-9a-f]+$/.test(text) || !digestOf(bytes).startsWith(digest)) throw changed()
  const rows = Number.parseInt(text.slice(0, NUMBER), 16)
  const broken = Number.parseInt(text.slice(NUMBER, COUNTS), 16)
  let end = TABLE_BYTES
  const blocks = Array.from({ length: 2 * BLOCKS }, (_, number) => {
    const entry = text.slice(COUNTS + number * ENTRY, COUNTS + (number + 1) * ENTRY)
    const start = end
    end += Number.parseInt(entry.slice(DIGEST), 16)
    return { start, end, digest: entry.slice(0, DIGEST) }
  })
  // Each row has a byte at least, so that a small file never makes a reader reserve much.
  if (end !== size || rows > size || broken > rows) throw changed()
  return { rows, broken, blocks }
}

function changed(): IndexRefused {
  return new IndexRefused('its search file was changed')
}

function rowsIn(block: Uint8Array): SearchRow[] {
  if (block.length === 0) return []
  const lines = new TextDecoder().decode(block).split('\n')
  return lines.map(line => {
    const isBroken = line.startsWith(BROKEN)
    const name = isBroken ? line.slice(1) : line
    if (!isName(name)) throw changed()
    return { name, isBroken }
  })
}

/** A search file of which all bytes were read. */
export interface WholeSearch {
  rows: readonly SearchRow[]
  /** The blocks of terms. */
  blocks: readonly Uint8Array[]
}

/** @throws IndexRefused where the file is not as it was written */
export function wholeSearch(file: Uint8Array, digest: string, digestOf: DigestOf): WholeSearch {
  // `subarray` is much slower on a `Buffer`.
  const bytes = new Uint8Array(file.buffer, file.byteOffset, file.length)
  const table = readTable(bytes.subarray(0, TABLE_BYTES), bytes.length, digest, digestOf)
  const blocks = table.blocks.map((_, number) =>
    checked(bytes.subarray(...rangeOf(table, number)), table, number, digestOf),
  )
  const rows = blocks.slice(BLOCKS).flatMap(rowsIn)
  if (rows.length !== table.rows || !isAscending(rows.map(({ name }) => name))) throw changed()
  return { rows, blocks: blocks.slice(0, BLOCKS) }
}

function isAscending(names: readonly string[]): boolean {
  return names.every((name, row) => row === 0 || (names[row - 1] as string) < name)
}

function rangeOf({ blocks }: Table, number: number): [start: number, end: number] {
  const { start, end } = blocks[number] as Table['blocks'][number]
  return [start, end]
}

function checked(block: Uint8Array, { blocks }: Table, number: number, digestOf: DigestOf): Uint8Array {
  if (!digestOf(block).startsWith(blocks[number]?.digest as string)) throw changed()
  return block
}

/** The bytes of a file from `start` to `end`; null where it is missing or has another size. */
export type ReadRange = (start: number, end: number) => Promise<Uint8Array | null>

/** A search file whose blocks are read when they are needed. */
export class SearchFile {
  readonly #terms = new Map<number, ReadonlyMap<string, Uint8Array>>()
  #names: string[] | undefined

  private constructor(
    private readonly table: Table,
    private readonly read: ReadRange,
    private readonly digestOf: DigestOf,
  ) {}

  /** @throws IndexRefused */
  static async open(read: ReadRange, size: number, digest: string, digestOf: DigestOf): Promise<SearchFile> {
    const table = await expectRange(read, 0, TABLE_BYTES)
    return new SearchFile(readTable(table, size, digest, digestOf), read, digestOf)
  }

  get rows(): number {
    return this.table.rows
  }

  /** The number of tools that are not broken. */
  get tools(): number {
    return this.table.rows - this.table.broken
  }

  /**
   * The names of all rows.
   *
   * @throws IndexRefused
   */
  async names(): Promise<string[]> {
    if (this.#names) return this.#names
    const names = await this.#readNames(0, BLOCKS)
    if (!isAscending(names)) throw changed()
    this.#names = names
    return names
  }

  /**
   * The name of a row.
   *
   * @throws IndexRefused
   */
  async name(row: number): Promise<string> {
    const perBlock = rowsPerBlock(this.rows)
    const block = Math.floor(row / perBlock)
    const names = await this.#readNames(block, block + 1)
    const name = names[row - block * perBlock]
    if (name === undefined) throw changed()
    return name
  }

  /** The names in some blocks of rows, which lie one after another. */
  async #readNames(from: number, to: number): Promise<string[]> {
    const ranges = this.table.blocks.slice(BLOCKS + from, BLOCKS + to)
    const start = ranges[0]?.start ?? 0
    const bytes = await expectRange(this.read, start, ranges.at(-1)?.end ?? 0)
    return ranges.flatMap((range, at) => {
      const block = bytes.subarray(range.start - start, range.end - start)
      return rowsIn(checked(block, this.table, BLOCKS + from + at, this.digestOf)).map(({ name }) => name)
    })
  }

  /**
   * Reads the blocks of terms, and of those that begin with them. The terms that were loaded can be looked up.
   *
   * @throws IndexRefused
   */
  async load(terms: readonly string[]): Promise<void> {
    const blocks = [...new Set(terms.map(blockOf))].filter(number => !this.#terms.has(number))
    await Promise.all(blocks.map(number => this.#loadBlock(number)))
  }

  async #loadBlock(number: number): Promise<void> {
    const bytes = await expectRange(this.read, ...rangeOf(this.table, number))
    this.#terms.set(number, termsIn(checked(bytes, this.table, number, this.digestOf), this.rows))
  }

  /**
   * An index of the terms that were loaded.
   *
   * @param rowOf gives the row to use in place of each row of the file; -1 leaves a row out
   */
  index(rowOf: Int32Array): TermIndex {
    return {
      postings: term => {
        const bytes = this.#terms.get(blockOf(term))?.get(term)
        return bytes && postingsIn(bytes, rowOf)
      },
      beginningWith: start =>
        [...(this.#terms.get(blockOf(start))?.keys() ?? [])].filter(term => term.startsWith(start)),
    }
  }
}

async function expectRange(read: ReadRange, start: number, end: number): Promise<Uint8Array> {
  const bytes = await read(start, end)
  if (bytes === null) throw new IndexRefused('its search file is missing or cut off')
  return bytes
}
