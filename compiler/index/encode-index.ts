import { hash } from 'node:crypto'
import { inCodePointOrder } from '../../src/base/code-point-order.js'
import {
  type FileRecord,
  INDEX_END,
  INDEX_SCHEMA,
  INDEX_VERSION,
  type IndexHeader,
  SECTIONS,
  type Section,
  sectionRanges,
  shardCount,
  shardFile,
  shardOf,
} from '../../src/index/index-format.js'
import { LineStore, type StoredLine } from './line-store.js'

/** The records of an index as lines, `"key":{…}` each, by section and key. */
export type Lines = Record<Section, Map<string, string>>

/** The same, where most stand in a store. */
export type StoredLines = Record<Section, Map<string, string | StoredLine>>

/** Those of them that the next compile may write once more: what an index says of a file is always made anew. */
export type KeptLines = Omit<StoredLines, 'files'>

export type HeaderFields = Pick<
  IndexHeader,
  'ignore' | 'listing' | 'counts' | 'cascadeInput' | 'cascadeKey'
> & { modules: string[] }

/** The files that make up an index, by their path relative to the entry's directory. */
export interface EncodedIndex {
  header: string
  /** Each puts its shard together, which is done again for every use: all of them are as large as everything else together. */
  shards: Map<string, () => Buffer>
}

/** Writes records as the text of an index; the counterpart of `runtime/host/read-index.ts`. */
export function encodeIndex(
  lines: StoredLines,
  fields: HeaderFields,
  store: LineStore = new LineStore(),
): EncodedIndex {
  const count = shardCount(lines.tools.size + lines.files.size)
  if (count === 0) {
    const [all] = divide(lines, 1) as [SortedLines]
    const body = Buffer.concat(sectionsOf(all, store)).toString()
    return { header: encodeHeader({ ...fields, hash: hash('sha256', body) }, body), shards: new Map() }
  }
  const shards: EncodedIndex['shards'] = new Map()
  const digests = divide(lines, count).map(part => {
    const shard = (): Buffer => Buffer.concat([SHARD_START, ...sectionsOf(part, store), SHARD_END])
    const digest = shardDigest(shard())
    shards.set(shardFile(digest), shard)
    return digest
  })
  return {
    header: encodeHeader({ ...fields, hash: hash('sha256', digests.join('\n')), shards: digests }),
    shards,
  }
}

/** The digest that names a shard. */
export function shardDigest(text: string | Buffer): string {
  return hash('sha256', text).slice(0, 32)
}

function encodeHeader(fields: HeaderFields & { hash: string; shards?: string[] }, body?: string): string {
  const { hash: digest, ignore, listing, counts, cascadeInput, cascadeKey, modules, shards } = fields
  const lines = [
    `"$schema":${JSON.stringify(INDEX_SCHEMA)}`,
    `"version":${INDEX_VERSION}`,
    `"hash":${JSON.stringify(digest)}`,
    `"ignore":${JSON.stringify(ignore)}`,
    `"listing":${JSON.stringify(listing)}`,
    `"counts":${JSON.stringify(counts)}`,
    `"cascadeInput":${JSON.stringify(cascadeInput)}`,
    `"cascadeKey":${JSON.stringify(cascadeKey)}`,
  ]
  if (modules.length > 0)
    lines.push(`"modules":[\n${modules.map(file => JSON.stringify(file)).join(',\n')}\n]`)
  if (shards) lines.push(`"shards":[\n${shards.map(shard => JSON.stringify(shard)).join(',\n')}\n]`)
  if (body !== undefined) lines.push(body)
  return `{\n${lines.join(',\n')}${INDEX_END}`
}

/** Lines in their order, by section. */
type SortedLines = Record<Section, (string | StoredLine)[]>

const SHARD_START = Buffer.from('{\n')
const SHARD_END = Buffer.from(INDEX_END)
const SEPARATOR = Buffer.from(',\n')

/** The bytes of sections, in pieces. */
function sectionsOf(sorted: SortedLines, store: LineStore): Buffer[] {
  const pieces: Buffer[] = []
  for (const section of SECTIONS) {
    if (pieces.length > 0) pieces.push(SEPARATOR)
    const lines = sorted[section]
    pieces.push(Buffer.from(lines.length === 0 ? `"${section}":{}` : `"${section}":{\n`))
    for (const [index, line] of lines.entries()) {
      if (index > 0) pieces.push(SEPARATOR)
      pieces.push(bytesOf(line, store))
    }
    if (lines.length > 0) pieces.push(Buffer.from('\n}'))
  }
  return pieces
}

/** The lines in the order of their keys, in so many parts by their keys' hashes. */
function divide(lines: StoredLines, count: number): SortedLines[] {
  const parts = Array.from(
    { length: count },
    (): SortedLines => ({ tools: [], details: [], files: [], cascades: [], contents: [] }),
  )
  for (const section of SECTIONS) {
    for (const key of inCodePointOrder(lines[section].keys()))
      parts[shardOf(key, count)]?.[section].push(lines[section].get(key) ?? '')
  }
  return parts
}

export function emptyLines<Line = never>(): Record<Section, Map<string, Line>> {
  return { tools: new Map(), details: new Map(), files: new Map(), cascades: new Map(), contents: new Map() }
}

/** Told of a line, without the comma behind it; gives false where there should be none such. */
export type VisitLine = (section: Section, key: string, line: string) => boolean

/**
 * Takes the lines of an index or a shard apart again, unread, so that those that still hold can be written once more. False where
 * they are not laid out as we do.
 *
 * @param into the sections that are wanted
 * @param keep what becomes of a line
 */
export function collectLines<Line>(
  text: string,
  into: Partial<Record<Section, Map<string, Line>>>,
  keep: (line: string) => Line,
): boolean {
  const wanted = SECTIONS.filter(section => section in into)
  return visitLines(text, wanted, (section, key, line) => {
    const lines = into[section]
    if (lines?.has(key)) return false
    lines?.set(key, keep(line))
    return true
  })
}

/** The same, line by line, of those sections that are wanted. */
export function visitLines(text: string, wanted: readonly Section[], visit: VisitLine): boolean {
  if (sectionRanges(text) === null) return false
  let section: Section | undefined
  for (const row of text.split('\n')) {
    const opened = SECTIONS.find(name => row === `"${name}":{`)
    if (opened !== undefined) section = wanted.includes(opened) ? opened : undefined
    else if (row.startsWith('}')) section = undefined
    else if (section !== undefined) {
      const line = row.endsWith(',') ? row.slice(0, -1) : row
      const key = keyOf(line)
      if (key === null || !visit(section, key, line)) return false
    }
  }
  return true
}

/**
 * The names that stand otherwise in one index than in another, in one of them only, or in a file that changed.
 *
 * @param visitBefore tells of the lines of the one before, none of which is kept; false where it cannot be read
 */
export function changedNames(
  visitBefore: (visit: VisitLine) => boolean,
  after: StoredLines,
  store: LineStore,
): string[] {
  const changed = new Set<string>()
  // By what they are in `after`, so that nothing of the one before is kept.
  const same = Object.fromEntries(SECTIONS.map(section => [section, new Set<string | StoredLine>()]))
  const isRead = visitBefore((section, key, line) => {
    const now = after[section].get(key)
    if (now !== undefined && bytesOf(now, store).equals(Buffer.from(line))) same[section]?.add(now)
    else if (section !== 'files') changed.add(key)
    return true
  })
  const isSame = (section: Section, line: string | StoredLine): boolean =>
    isRead && same[section]?.has(line) === true
  for (const section of ['tools', 'details', 'cascades', 'contents'] as const)
    for (const [name, line] of after[section]) if (!isSame(section, line)) changed.add(name)
  // An edit may leave a tool's records as they are: they hold a content's place, not its text.
  for (const line of after.files.values())
    if (!isSame('files', line)) for (const name of toolsOf(bytesOf(line, store).toString())) changed.add(name)
  return inCodePointOrder(changed)
}

/** The names that a file gives, as its line says. */
function toolsOf(line: string): string[] {
  return Object.values(JSON.parse(`{${line}}`) as Record<string, FileRecord>).flatMap(({ tools }) => tools)
}

function bytesOf(line: string | StoredLine, store: LineStore): Buffer {
  return typeof line === 'string' ? Buffer.from(line) : store.bytes(line)
}

/** The key at the start of a line. */
function keyOf(line: string): string | null {
  const [written] = /^"(?:[^"\\]|\\.)*"(?=:)/.exec(line) ?? []
  try {
    return written === undefined ? null : (JSON.parse(written) as string)
  } catch {
    // Not as JSON has it, so not ours.
    return null
  }
}
