import { hash } from 'node:crypto'
import { inCodePointOrder } from '../../src/code-point-order.js'
import type { ContentRecord } from '../../src/content.js'
import {
  type CascadeRecord,
  type FileRecord,
  INDEX_SCHEMA,
  INDEX_VERSION,
  type IndexHeader,
  type NameRecord,
  SECTIONS,
  type Section,
  sealed,
  shardCount,
  shardFile,
  shardOf,
  type ToolDetails,
} from '../../src/index-format.js'

/** The records of an index as lines, `"key":{…}` each, by section and key. */
export type Lines = Record<Section, Map<string, string>>

/** The same, where a line may be made when it is its turn: all of them take as much room as everything else together. */
export type LinesToMake = Record<Section, Map<string, string | (() => string)>>

export type HeaderFields = Pick<
  IndexHeader,
  'ignore' | 'listing' | 'counts' | 'cascadeInput' | 'cascadeKey'
> & { modules: string[] }

/** The files that make up an index, by their path relative to the entry's directory. */
export interface EncodedIndex {
  header: string
  shards: Map<string, Buffer>
}

/** Writes records as the text of an index; the counterpart of `runtime/read-index.ts`. */
export function encodeIndex(lines: LinesToMake, fields: HeaderFields): EncodedIndex {
  const count = shardCount(lines.tools.size + lines.files.size)
  if (count === 0) {
    const [all] = divide(lines, 1) as [SortedLines]
    const body = encodeSections(all)
    return { header: encodeHeader({ ...fields, hash: hash('sha256', body) }, body), shards: new Map() }
  }
  const shards: EncodedIndex['shards'] = new Map()
  const digests = divide(lines, count).map(part => {
    const bytes = Buffer.from(`{\n${encodeSections(part)}\n}\n`)
    const digest = shardDigest(bytes)
    shards.set(shardFile(digest), bytes)
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

export function encodeName(name: string, record: NameRecord): string {
  if ('broken' in record) return encodeRecord(name, record)
  return encodeRecord(name, { ...record, frontmatter: sortKeys(record.frontmatter) })
}

export function encodeDetails(name: string, { resources, references, ...details }: ToolDetails): string {
  return encodeRecord(name, {
    ...details,
    resources: resources.map(sortKeys),
    ...(references && { references: references.map(sortKeys) }),
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

/** Only our own keys are sorted, so this goes no deeper: an author's values keep their order. Ours are ASCII, which `sort` puts in code-point order. */
function sortKeys<Type extends object>(record: Type): Type {
  const sorted: Partial<Type> = {}
  for (const key of Object.keys(record).sort() as (keyof Type)[]) sorted[key] = record[key]
  return sorted as Type
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
  return `{\n${lines.join(',\n')}\n}\n`
}

/** The texts of lines in their order, by section. */
type SortedLines = Record<Section, (string | (() => string))[]>

function encodeSections(sorted: SortedLines): string {
  return SECTIONS.map(section => {
    const lines = sorted[section].map(line => (typeof line === 'string' ? line : line()))
    return lines.length === 0 ? `"${section}":{}` : `"${section}":{\n${lines.join(',\n')}\n}`
  }).join(',\n')
}

/** The lines in the order of their keys, in so many parts by their keys' hashes. */
function divide(lines: LinesToMake, count: number): SortedLines[] {
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

/** Makes every line there is to be made. */
export function madeLines(lines: LinesToMake): Lines {
  const made = emptyLines()
  for (const section of SECTIONS)
    for (const [key, line] of lines[section]) made[section].set(key, typeof line === 'string' ? line : line())
  return made
}

export function emptyLines(): Lines {
  return { tools: new Map(), details: new Map(), files: new Map(), cascades: new Map(), contents: new Map() }
}

/** Takes the lines of an index or a shard apart again, unread, so that those that still hold can be written once more. */
export function collectLines(text: string, into: Lines): void {
  let section: Map<string, string> | null = null
  for (const row of text.split('\n')) {
    const opened = SECTIONS.find(name => row === `"${name}":{`)
    if (opened !== undefined) section = into[opened]
    else if (row.startsWith('}')) section = null
    else if (section !== null) {
      const line = row.endsWith(',') ? row.slice(0, -1) : row
      section.set(JSON.parse(line.slice(0, keyEnd(line))) as string, line)
    }
  }
}

/** The names that stand otherwise in one index than in another, or in one of them only. */
export function changedNames(before: Lines | null, after: Lines): string[] {
  const names = new Set([...(before?.tools.keys() ?? []), ...after.tools.keys()])
  const differs = (name: string): boolean =>
    (['tools', 'details', 'cascades', 'contents'] as const).some(
      section => before?.[section].get(name) !== after[section].get(name),
    )
  return inCodePointOrder([...names].filter(differs))
}

/** Where the key at the start of a line ends, its closing quote included. */
function keyEnd(line: string): number {
  let end = 1
  while (end < line.length && line[end] !== '"') end += line[end] === '\\' ? 2 : 1
  return end + 1
}
