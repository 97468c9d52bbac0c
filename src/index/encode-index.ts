import { inCodePointOrder } from '../base/code-point-order.js'
import type { ContentRecord } from './content-record.js'
import {
  type CascadeRecord,
  type FileRecord,
  INDEX_END,
  INDEX_SCHEMA,
  INDEX_VERSION,
  type IndexHeader,
  type NameRecord,
  type NamesakesRecord,
  SECTIONS,
  type Section,
  sealed,
  shardCount,
  shardFile,
  shardKey,
  shardOf,
  type ToolDetails,
} from './index-format.js'
import { encodeList, type ListColumns, listFile, MAIN_BROKEN } from './list-columns.js'
import type { IndexFiles } from './read-index.js'

/** The records of an index as lines, `"key":{…}` each, by section and key. */
export type Lines<Line = string> = Record<Section, Map<string, Line>>

export type HeaderFields = Pick<
  IndexHeader,
  | 'ignore'
  | 'namespace'
  | 'discover'
  | 'listing'
  | 'listed'
  | 'folders'
  | 'units'
  | 'plugins'
  | 'manifests'
  | 'counts'
  | 'cut'
  | 'cascadeInput'
  | 'cascadeKey'
  | 'ownCascadeKey'
> & { modules: string[] }

/** The files that make up an index, by their path relative to the entry's directory. */
export interface EncodedIndex {
  /** The text of the index file. */
  header: string
  /**
   * The shards, their list, their search file and their vectors. The function of a shard may build it anew at every call: all shards together are as large as everything else.
   */
  parts: Map<string, () => Uint8Array>
  /** The shards of an index before that are named once more. */
  kept: Set<string>
}

/** A file that the header of an index names by a digest. */
export interface EncodedPart {
  /** Relative to the directory. */
  file: string
  digest: string
  bytes: Uint8Array
}

/** The vectors of an index, and the model that made them. */
export interface VectorPart extends EncodedPart {
  model: string
}

/** The digest of each unchanged shard, by its number; null for one whose lines are given. */
export type KeptShards = readonly (string | null)[]

/** The index before, where as many shards are needed now. */
export interface KeptIndex {
  shards: KeptShards
  list: ListColumns
}

/** Bytes of shards that are kept until they are written; those of a larger index are put together twice. */
const HELD_MAX = 16 * 1024 * 1024

/** Settings of `encodeIndex`. Without them, an index has only its shards. */
interface EncodeOptions {
  /** True to give an index of shards a list. */
  list?: boolean
  /** Makes the search file of an index of shards. */
  makeSearch?: (() => EncodedPart) | null
  /** The vectors of its tools. */
  vectors?: VectorPart | null
  /** The previous index, if some of its shards are still valid. */
  known?: KeptIndex | null
}

/**
 * Writes records as the text of an index; the counterpart of `openIndex`.
 *
 * @param bytesOf gives the UTF-8 of a line
 */
export function encodeIndex<Line>(
  lines: Lines<Line>,
  fields: HeaderFields,
  bytesOf: (line: Line) => Uint8Array,
  { digestOf, digestText }: Pick<IndexFiles, 'digestOf' | 'digestText'>,
  { list: isListed = false, makeSearch = null, vectors = null, known = null }: EncodeOptions = {},
): EncodedIndex {
  const parts: EncodedIndex['parts'] = new Map()
  if (vectors) parts.set(vectors.file, () => vectors.bytes)
  const count = known?.shards.length ?? shardCount(lines.tools.size + lines.files.size)
  if (count === 0) {
    const [all] = divide(lines, 1) as [SortedLines<Line>]
    const body = joined(sectionsOf(all, bytesOf))
    return {
      header: encodeHeader({ ...fields, hash: digestOf(body) }, vectors, body),
      parts,
      kept: new Set(),
    }
  }
  let held = 0
  const shards = divide(lines, count).map((part, number) => {
    const before = known?.shards[number]
    if (before) return before
    const shard = (): Uint8Array => joined([OPENING, ...sectionsOf(part, bytesOf), CLOSING])
    const bytes = shard()
    const digest = digestOf(bytes).slice(0, 32)
    held += bytes.length
    parts.set(shardFile(digest), held > HELD_MAX ? shard : () => bytes)
    return digest
  })
  const listed = isListed ? new TextEncoder().encode(listOf(lines, bytesOf, known)) : null
  const list = listed ? digestOf(listed).slice(0, 32) : undefined
  if (listed && list) parts.set(listFile(list), () => listed)
  const search = makeSearch?.()
  if (search) parts.set(search.file, () => search.bytes)
  const hash = digestText(shards.join('\n'))
  return {
    header: encodeHeader({ ...fields, hash, shards, list, search: search?.digest }, vectors),
    parts,
    kept: new Set(known?.shards.flatMap(digest => (digest === null ? [] : shardFile(digest)))),
  }
}

/** The list of the tools whose lines are given, and of those of the shards that are kept. */
function listOf<Line>(
  { tools, files }: Lines<Line>,
  bytesOf: (line: Line) => Uint8Array,
  known: KeptIndex | null,
): string {
  const decoder = new TextDecoder()
  const textOf = (line: Line): string => decoder.decode(bytesOf(line))
  function* toolRecords(): Generator<[string, NameRecord | NamesakesRecord]> {
    for (const name of inCodePointOrder(tools.keys()))
      yield [name, recordIn(name, textOf(tools.get(name) as Line)) as NameRecord | NamesakesRecord]
  }
  function* fileRecords(isWanted: (path: string) => boolean): Generator<[string, FileRecord]> {
    for (const [path, line] of files) {
      const text = textOf(line)
      if (isWanted(path) || text.includes(MAIN_BROKEN)) yield [path, recordIn(path, text) as FileRecord]
    }
  }
  const isKept = (section: Section, key: string): boolean =>
    known !== null && known.shards[shardOf(shardKey(section, key), known.shards.length)] !== null
  return encodeList(toolRecords(), fileRecords, known && { columns: known.list, isKept })
}

/** The record of a line `"key":{…}`. */
function recordIn(key: string, line: string): unknown {
  return JSON.parse(line.slice(JSON.stringify(key).length + 1))
}

function encodeHeader(
  fields: HeaderFields &
    Pick<IndexHeader, 'hash' | 'shards'> & { list?: string | undefined; search?: string | undefined },
  vectors: VectorPart | null,
  body?: Uint8Array,
): string {
  const { hash, ignore, namespace, discover, listing, counts, cut, list, search } = fields
  const { cascadeInput, cascadeKey, ownCascadeKey } = fields
  const lines = [
    `"$schema":${JSON.stringify(INDEX_SCHEMA)}`,
    `"version":${INDEX_VERSION}`,
    `"hash":${JSON.stringify(hash)}`,
    `"ignore":${JSON.stringify(ignore)}`,
    ...(namespace === undefined ? [] : [`"namespace":${JSON.stringify(namespace)}`]),
    ...(discover ? ['"discover":true'] : []),
    `"listing":${JSON.stringify(listing)}`,
    `"counts":${JSON.stringify(counts)}`,
    ...(cut ? ['"cut":true'] : []),
    `"cascadeInput":${JSON.stringify(cascadeInput)}`,
    `"cascadeKey":${JSON.stringify(cascadeKey)}`,
    ...(ownCascadeKey === undefined ? [] : [`"ownCascadeKey":${JSON.stringify(ownCascadeKey)}`]),
    ...(list === undefined ? [] : [`"list":${JSON.stringify(list)}`]),
    ...(search === undefined ? [] : [`"search":${JSON.stringify(search)}`]),
    ...(vectors ? [`"vectors":${JSON.stringify({ model: vectors.model, digest: vectors.digest })}`] : []),
  ]
  const { listed = [], folders = [], units = [], plugins = [], manifests = [], modules, shards = [] } = fields
  for (const [field, items] of Object.entries({
    listed,
    folders,
    units,
    plugins,
    manifests,
    modules,
    shards,
  }))
    if (items.length > 0) lines.push(`"${field}":[\n${items.map(encodeItem).join(',\n')}\n]`)
  if (body !== undefined) lines.push(new TextDecoder().decode(body))
  return `{\n${lines.join(',\n')}${INDEX_END}`
}

function encodeItem(item: string | object): string {
  return JSON.stringify(typeof item === 'string' ? item : sortKeys(item))
}

/** Lines in their order, by section. */
type SortedLines<Line> = Record<Section, Line[]>

const ascii = (text: string): Uint8Array => new TextEncoder().encode(text)
const OPENING = ascii('{\n')
const CLOSING = ascii(INDEX_END)
const SEPARATOR = ascii(',\n')
const SECTION_END = ascii('\n}')

/** The UTF-8 of sections, in pieces. */
function sectionsOf<Line>(sorted: SortedLines<Line>, bytesOf: (line: Line) => Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (const section of SECTIONS) {
    if (pieces.length > 0) pieces.push(SEPARATOR)
    const lines = sorted[section]
    pieces.push(ascii(lines.length === 0 ? `"${section}":{}` : `"${section}":{\n`))
    for (const [index, line] of lines.entries()) {
      if (index > 0) pieces.push(SEPARATOR)
      pieces.push(bytesOf(line))
    }
    if (lines.length > 0) pieces.push(SECTION_END)
  }
  return pieces
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}

/** The lines in the order of their keys, in so many parts by their keys' hashes. */
function divide<Line>(lines: Lines<Line>, count: number): SortedLines<Line>[] {
  const parts = Array.from(
    { length: count },
    (): SortedLines<Line> => ({ tools: [], details: [], files: [], cascades: [], contents: [] }),
  )
  for (const section of SECTIONS) {
    for (const key of inCodePointOrder(lines[section].keys()))
      parts[shardOf(shardKey(section, key), count)]?.[section].push(lines[section].get(key) as Line)
  }
  return parts
}

export function emptyLines<Line>(): Lines<Line> {
  return { tools: new Map(), details: new Map(), files: new Map(), cascades: new Map(), contents: new Map() }
}

/** A name's record as a line of an index, `"name":{…}`. The functions below make lines of the other records. */
export function encodeName(name: string, record: NameRecord): string {
  if ('broken' in record) return encodeRecord(name, record)
  const frontmatter = sortKeys(record.frontmatter)
  return encodeRecord(name, frontmatter === record.frontmatter ? record : { ...record, frontmatter })
}

/** The line of a bare name that is not a tool's own. */
export function encodeNamesakes(name: string, names: string[]): string {
  const record: NamesakesRecord = { names }
  return encodeRecord(name, record)
}

export function encodeDetails(name: string, details: ToolDetails): string {
  const { resources, references = [] } = details
  // Most have neither.
  if (resources.length + references.length === 0) return encodeRecord(name, details)
  return encodeRecord(name, {
    ...details,
    resources: resources.map(sortKeys),
    ...(details.references && { references: references.map(sortKeys) }),
  })
}

export function encodeCascade(name: string, { chain, ...record }: CascadeRecord): string {
  return encodeRecord(name, { ...record, chain: chain.map(sortKeys) })
}

export function encodeContent(name: string, record: ContentRecord): string {
  return encodeRecord(name, record)
}

export function encodeFile(path: string, record: FileRecord): string {
  return encodeRecord(path, record)
}

function encodeRecord(key: string, record: object): string {
  return sealed(`${JSON.stringify(key)}:${JSON.stringify(sortKeys(record)).slice(0, -1)}`)
}

/**
 * Sorts the keys of a record, and no deeper: only our own keys are sorted, while an author's values keep their order. Our keys are ASCII,
 * which `sort` puts in code-point order.
 */
function sortKeys<Type extends object>(record: Type): Type {
  const keys = Object.keys(record)
  if (areSorted(keys)) return record
  const sorted: Partial<Type> = {}
  for (const key of keys.sort() as (keyof Type)[]) sorted[key] = record[key]
  return sorted as Type
}

function areSorted(keys: readonly string[]): boolean {
  for (let index = 1; index < keys.length; index++)
    if ((keys[index - 1] as string) > (keys[index] as string)) return false
  return true
}
