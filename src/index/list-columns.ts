/**
 * The list of a split index, `.agent-apps/list-<digest>.json`: all that a list of its tools shows, in columns, so that listing them parses
 * one file and makes an object for a tool only when somebody asks for it. The shards have the rest, and decide: a record that differs from
 * its row refuses the index.
 *
 * Every column but `folders` and `mains` has one item, or one letter, for each name.
 */

import { byCodePoint, inCodePointOrder } from '../base/code-point-order.js'
import type { Diagnostic } from '../base/diagnostic.js'
import { isJsonObject } from '../base/json.js'
import type { Role, ToolFrontmatter, ToolKind } from '../skill/frontmatter.js'
import { isName, labelOf } from '../skill/names.js'
import {
  type BrokenRecord,
  type FileRecord,
  INDEX_DIRECTORY,
  INDEX_END,
  type IndexHeader,
  isBroken,
  type NameRecord,
  type NamesakesRecord,
  type ToolRecord,
} from './index-format.js'
import { isInside } from './inside-path.js'
import { type IndexFiles, IndexRefused, isShardDigest, readable } from './read-index.js'
import { recordFault } from './record-fault.js'

export interface ListColumns {
  /** Qualified, ascending. Bare names that are not a tool's own are left out. */
  names: readonly string[]
  /** `f` for a folder skill, `i` for a file, `c` for code, `!` for a tool that failed to load. */
  kinds: string
  /** `c` for the role `context`, `m` for `main`, `w` for `middleware`, `-` for none. */
  roles: string
  /** The beginnings of paths, ascending. */
  folders: readonly string[]
  /** A number n: the file is `folders[n]`, the name without its namespace, `/SKILL.md`. Otherwise its path. */
  files: readonly (number | string)[]
  /** The byte at which the content begins; null for code and broken tools. It ends with the file, unless `more` says otherwise. */
  content: readonly (number | null)[]
  /** Bytes in the file; null for broken tools. */
  sizes: readonly (number | null)[]
  descriptions: readonly (string | null)[]
  /**
   * The files that hold a main skill, each with its first, or null where a fault keeps the file from giving one; in
   * code-point order of path.
   */
  mains: readonly (readonly [path: string, name: string | null])[]
  /** The facts that few tools have. */
  more: readonly (MoreFacts | null)[]
}

/** Facts about a tool that are in none of the other columns. */
export interface MoreFacts {
  /** The diagnostic of a broken tool. */
  broken?: Diagnostic
  /** The byte at which the content ends, if that is not the end of the file. */
  end?: number
  fragment?: string
  /** Fields of the frontmatter, without empty `tags`, `metadata` and `extra`. */
  frontmatter?: Partial<ToolFrontmatter>
}

const KINDS: Record<ToolKind, string> = { folder: 'f', file: 'i', code: 'c' }
const KINDS_BY_LETTER = new Map(Object.entries(KINDS).map(([kind, letter]) => [letter, kind as ToolKind]))
const BROKEN = '!'
const ROLES: Record<Role, string> = { context: 'c', main: 'm', middleware: 'w' }
const ROLES_BY_LETTER = new Map(Object.entries(ROLES).map(([role, letter]) => [letter, role as Role]))
const NO_ROLE = '-'
const FOLDER_FILE = '/SKILL.md'

/** The rule of a file that says it is a main skill and cannot be used as one. */
export const MAIN_BROKEN = 'main-broken'

export function listFile(digest: string): string {
  return `${INDEX_DIRECTORY}/list-${digest}.json`
}

/** The rows of a list before, where only some shards were made anew. */
export interface KeptList {
  columns: ListColumns
  /** True for a key whose record still holds. */
  isKept: (section: 'tools' | 'files', key: string) => boolean
}

/**
 * Writes the list of an index; the counterpart of `readList`.
 *
 * @param tools the records of `tools`, in order of name
 * @param filesOf gives the records of `files`; it may leave out those without `main-broken` whose path `mayHoldMain` is false for
 * @param kept gives the rows of the records that are not among them
 */
export function encodeList(
  tools: Iterable<readonly [name: string, record: NameRecord | NamesakesRecord]>,
  filesOf: (mayHoldMain: (path: string) => boolean) => Iterable<readonly [path: string, record: FileRecord]>,
  kept: KeptList | null = null,
): string {
  const rows: Row[] = []
  const names = kept?.columns.names ?? []
  let next = 0
  /** Adds the rows that are kept up to a name. */
  const addKept = (end?: string): void => {
    for (; next < names.length; next++) {
      const name = names[next] as string
      if (end !== undefined && name >= end) return
      if (kept?.isKept('tools', name)) rows.push(rowAt(kept.columns, next))
    }
  }
  for (const [name, record] of tools) {
    if ('names' in record) continue
    addKept(name)
    rows.push(rowOf(name, record))
  }
  addKept()
  return textOf(rows, mainsOf(rows, filesOf, kept))
}

/** A row of a list. Its fields are always in this order, so that equal rows give the same JSON. */
interface Row {
  name: string
  /** The folder, if the rest of the path is the label and `/SKILL.md`. */
  folder: string | null
  path: string
  kind: string
  role: string
  content: number | null
  size: number | null
  description: string | null
  more: MoreFacts | null
}

function rowOf(name: string, record: NameRecord): Row {
  const { file } = record
  const end = `${labelOf(name)}${FOLDER_FILE}`
  const isPlain = file.endsWith(end) && (file.length === end.length || file.at(-end.length - 1) === '/')
  const place = { name, folder: isPlain ? file.slice(0, -end.length) : null, path: file }
  if (isBroken(record)) {
    const more = { broken: record.broken }
    return { ...place, kind: BROKEN, role: NO_ROLE, content: null, size: null, description: null, more }
  }
  const { kind, size, content, frontmatter } = record
  return {
    ...place,
    kind: KINDS[kind],
    role: frontmatter.role ? ROLES[frontmatter.role] : NO_ROLE,
    content: content ? content[0] : null,
    size,
    description: frontmatter.description ?? null,
    more: moreOf(record),
  }
}

function moreOf({ content, size, fragment, frontmatter }: ToolRecord): MoreFacts | null {
  const { name: _, role, description, tags, metadata, extra, ...others } = frontmatter
  const more: Partial<ToolFrontmatter> = others
  if (tags.length > 0) more.tags = tags
  if (Object.keys(metadata).length > 0) more.metadata = metadata
  if (Object.keys(extra).length > 0) more.extra = extra
  const facts: MoreFacts = {}
  if (content && content[1] !== size) facts.end = content[1]
  if (fragment !== undefined) facts.fragment = fragment
  if (Object.keys(more).length > 0) facts.frontmatter = more
  return Object.keys(facts).length > 0 ? facts : null
}

function rowAt(columns: ListColumns, row: number): Row {
  const { names, kinds, roles, folders, files, content, sizes, descriptions, more } = columns
  const file = files[row] as number | string
  return {
    name: names[row] as string,
    folder: typeof file === 'number' ? (folders[file] as string) : null,
    path: pathAt(columns, row),
    kind: kinds[row] as string,
    role: roles[row] as string,
    content: content[row] as number | null,
    size: sizes[row] as number | null,
    description: descriptions[row] as string | null,
    more: more[row] as MoreFacts | null,
  }
}

/** The column of main skills: a file counts that says it is one and cannot be used, or that gives one. */
function mainsOf(
  rows: readonly Row[],
  filesOf: Parameters<typeof encodeList>[1],
  kept: KeptList | null,
): ListColumns['mains'] {
  const ofMains = rows.filter(({ role }) => role === ROLES.main)
  const names = new Set(ofMains.map(({ name }) => name))
  const paths = new Set(ofMains.map(({ path }) => path))
  const mains = kept ? kept.columns.mains.filter(([path]) => kept.isKept('files', path)) : []
  for (const [path, { diagnostics, tools }] of filesOf(one => paths.has(one))) {
    const isBroken = diagnostics.some(({ rule }) => rule === MAIN_BROKEN)
    const main = isBroken ? null : tools.find(name => names.has(name))
    if (main !== undefined) mains.push([path, main])
  }
  return mains.sort(([a], [b]) => byCodePoint(a, b))
}

function textOf(rows: readonly Row[], mains: ListColumns['mains']): string {
  const folders = inCodePointOrder(new Set(rows.flatMap(({ folder }) => folder ?? [])))
  const numbers = new Map(folders.map((folder, number) => [folder, number]))
  const columns: ListColumns = {
    names: rows.map(({ name }) => name),
    kinds: rows.map(({ kind }) => kind).join(''),
    roles: rows.map(({ role }) => role).join(''),
    folders,
    files: rows.map(({ folder, path }) => (folder === null ? path : (numbers.get(folder) as number))),
    content: rows.map(({ content }) => content),
    sizes: rows.map(({ size }) => size),
    descriptions: rows.map(({ description }) => description),
    mains,
    more: rows.map(({ more }) => more),
  }
  const lines = Object.entries(columns).map(([column, items]) => `"${column}":${JSON.stringify(items)}`)
  return `{\n${lines.join(',\n')}${INDEX_END}`
}

/**
 * Reads the list that an index names. Everything in it is looked at before any of it can be used, as it may be somebody
 * else's.
 *
 * @throws IndexRefused where it is missing, or not a list that a compiler of ours wrote
 */
export function readList(files: IndexFiles, directory: string, { list }: IndexHeader): ListColumns {
  // One that is missing shows, as a missing shard does, that the index was replaced since its header was read.
  if (!isShardDigest(list)) throw new IndexRefused('its list is missing')
  const text = readable(() => files.readText(files.resolve(directory, listFile(list)))) ?? ''
  if (!files.digestText(text).startsWith(list)) throw new IndexRefused('its list was changed')
  return listIn(text)
}

/** The columns of a list's text. Throws IndexRefused. */
export function listIn(text: string): ListColumns {
  try {
    const columns: unknown = JSON.parse(text)
    if (isColumns(columns) && areRows(columns)) return columns
  } catch {}
  throw new IndexRefused('its list is cut off or invalid')
}

/** True where each column holds what may be in it, as far as no row says it. */
function isColumns(value: unknown): value is ListColumns {
  if (!isJsonObject(value)) return false
  const { names, kinds, roles, folders, files, content, sizes, descriptions, mains, more } = value
  return (
    [names, folders, files, content, sizes, descriptions, mains, more].every(Array.isArray) &&
    (names as unknown[]).every(name => typeof name === 'string' && isName(name)) &&
    /^[fic!]*$/.test(kinds as string) &&
    /^[cmw-]*$/.test(roles as string) &&
    (folders as unknown[]).every(isFolder) &&
    (descriptions as unknown[]).every(text => text === null || typeof text === 'string') &&
    (mains as unknown[]).every(isMain) &&
    (more as unknown[]).every(facts => facts === null || isJsonObject(facts))
  )
}

function isFolder(folder: unknown): boolean {
  return (
    folder === '' || (typeof folder === 'string' && folder.endsWith('/') && isInside(folder.slice(0, -1)))
  )
}

function isMain(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 2) return false
  const [path, name] = value
  return isInside(path) && (name === null || (typeof name === 'string' && isName(name)))
}

/** True where the columns belong to each other. */
function areRows(list: ListColumns): boolean {
  const { names, kinds, roles, files, content, sizes, descriptions, mains, more } = list
  const columns = [kinds, roles, files, content, sizes, descriptions, more]
  const paths = mains.map(([path]) => path)
  return (
    columns.every(({ length }) => length === names.length) &&
    isAscending(names, (one, other) => (one < other ? -1 : 1)) &&
    isAscending(paths, byCodePoint) &&
    names.every((_, row) => isPlain(list, row) || isRow(list, row))
  )
}

/** True for a folder skill without further facts, as most are: a look at its numbers is enough. */
function isPlain({ kinds, folders, files, content, sizes, more }: ListColumns, row: number): boolean {
  const start = content[row] as number
  const size = sizes[row] as number
  return (
    kinds[row] === KINDS.folder &&
    more[row] === null &&
    folders[files[row] as number] !== undefined &&
    Number.isInteger(start) &&
    Number.isInteger(size) &&
    0 <= start &&
    start <= size &&
    size <= 2 ** 24
  )
}

/** True for a row that says what the record of a tool may say. */
function isRow(list: ListColumns, row: number): boolean {
  const { names, kinds, folders, files, content, sizes, more } = list
  const isSound = kinds[row] !== BROKEN
  const isCode = kinds[row] === KINDS.code
  const hasPlace = typeof files[row] === 'string' || folders[files[row] as number] !== undefined
  const isEmpty = content[row] === null && (isCode || sizes[row] === null)
  if (!hasPlace || isSound !== (more[row]?.broken === undefined) || (isSound && !isCode) === isEmpty)
    return false
  const { file, kind, size, content: place, fragment, frontmatter } = new ListedRecord(list, row)
  const record = { file, kind, size, content: place, fragment, frontmatter, ...(isCode && { exported: '' }) }
  return recordFault('tools', names[row] as string, isSound ? record : brokenAt(list, row)) === null
}

function isAscending(texts: readonly string[], compare: (one: string, other: string) => number): boolean {
  for (let row = 1; row < texts.length; row++)
    if (compare(texts[row - 1] as string, texts[row] as string) >= 0) return false
  return true
}

/** The path of a row, relative to the directory. */
export function pathAt({ names, folders, files }: ListColumns, row: number): string {
  const file = files[row] as number | string
  return typeof file === 'string' ? file : `${folders[file]}${labelOf(names[row] as string)}${FOLDER_FILE}`
}

/** The number of a name's row; -1 where the list has none. */
export function rowIn({ names }: ListColumns, name: string): number {
  let [from, to] = [0, names.length - 1]
  while (from <= to) {
    const middle = (from + to) >> 1
    const found = names[middle] as string
    if (found === name) return middle
    if (found < name) from = middle + 1
    else to = middle - 1
  }
  return -1
}

/** The fault of a broken tool. */
export function brokenAt(columns: ListColumns, row: number): BrokenRecord | null {
  const broken = columns.more[row]?.broken
  return broken ? { broken, file: pathAt(columns, row) } : null
}

/** The record of a sound tool, as far as the list has it. What takes time is made when it is read. */
export class ListedRecord {
  readonly #columns: ListColumns
  readonly #row: number
  #frontmatter?: ToolFrontmatter

  constructor(columns: ListColumns, row: number) {
    this.#columns = columns
    this.#row = row
  }

  get file(): string {
    return pathAt(this.#columns, this.#row)
  }

  get kind(): ToolKind {
    return KINDS_BY_LETTER.get(this.#columns.kinds[this.#row] as string) as ToolKind
  }

  get size(): number {
    return this.#columns.sizes[this.#row] as number
  }

  get content(): [start: number, end: number] | undefined {
    const start = this.#columns.content[this.#row] as number | null
    return start === null ? undefined : [start, this.#columns.more[this.#row]?.end ?? this.size]
  }

  get fragment(): string | undefined {
    return this.#columns.more[this.#row]?.fragment
  }

  get frontmatter(): ToolFrontmatter {
    this.#frontmatter ??= frontmatterAt(this.#columns, this.#row)
    return this.#frontmatter
  }
}

function frontmatterAt({ names, roles, descriptions, more }: ListColumns, row: number): ToolFrontmatter {
  const name = names[row] as string
  const frontmatter: ToolFrontmatter = { name, extra: {}, metadata: {}, tags: [] }
  const others = more[row]?.frontmatter
  if (others) Object.assign(frontmatter, others, { name })
  const description = descriptions[row] as string | null
  if (description !== null) frontmatter.description = description
  const role = ROLES_BY_LETTER.get(roles[row] as string)
  if (role) frontmatter.role = role
  return frontmatter
}

/** True where a record says what its row says. */
export function isSameRow(columns: ListColumns, row: number, record: NameRecord): boolean {
  return JSON.stringify(rowOf(columns.names[row] as string, record)) === JSON.stringify(rowAt(columns, row))
}
