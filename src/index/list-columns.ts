/**
 * The list of a split index, `.agent-apps/list-<digest>.json`: all that a list of its tools shows, in columns, so that listing them parses
 * one file and makes an object for a tool only when somebody asks for it. The shards have the rest, and decide: a record that differs from
 * its row refuses the index.
 *
 * Every column but `folders` and `mains` has one item, or one letter, for each name.
 */
import { byCodePoint, inCodePointOrder } from '../base/code-point-order.js'
import type { Diagnostic } from '../base/diagnostic.js'
import type { Role, ToolFrontmatter, ToolKind } from '../skill/frontmatter.js'
import { labelOf } from '../skill/names.js'
import {
  type FileRecord,
  INDEX_DIRECTORY,
  INDEX_END,
  isBroken,
  type NameRecord,
  type NamesakesRecord,
  type ToolRecord,
} from './index-format.js'

export function listFile(digest: string): string {
  return `${INDEX_DIRECTORY}/list-${digest}.json`
}

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

export const KINDS: Record<ToolKind, string> = { folder: 'f', file: 'i', code: 'c' }
export const KINDS_BY_LETTER = new Map(
  Object.entries(KINDS).map(([kind, letter]) => [letter, kind as ToolKind]),
)
export const BROKEN = '!'
const ROLES: Record<Role, string> = { context: 'c', main: 'm', middleware: 'w' }
export const ROLES_BY_LETTER = new Map(Object.entries(ROLES).map(([role, letter]) => [letter, role as Role]))
export const NO_ROLE = '-'
const FOLDER_FILE = '/SKILL.md'

/** The rule of a file that says it is a main skill and cannot be used as one. */
export const MAIN_BROKEN = 'main-broken'

/** The rows of a list before, where only some shards were made anew. */
export interface KeptList {
  columns: ListColumns
  /** True for a key whose record still holds. */
  isKept: (section: 'tools' | 'files', key: string) => boolean
}

/**
 * Writes the list of an index; the counterpart of `readList` in read-list.ts.
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

/** A row of a list, with its path in the form that is shorter. */
interface Row {
  name: string
  kind: string
  role: string
  /** The folder alone, if the rest of the path is the label and `/SKILL.md`. */
  folder: string | null
  path: string
  content: number | null
  size: number | null
  description: string | null
  more: MoreFacts | null
}

function rowOf(name: string, record: NameRecord): Row {
  const { file: path } = record
  const end = `${labelOf(name)}${FOLDER_FILE}`
  const isPlain = path.endsWith(end) && (path.length === end.length || path.at(-end.length - 1) === '/')
  const folder = isPlain ? path.slice(0, -end.length) : null
  if (isBroken(record)) {
    const more = { broken: record.broken }
    const facts = { kind: BROKEN, role: NO_ROLE, content: null, size: null, description: null, more }
    return { name, folder, path, ...facts }
  }
  const { kind, size, content, frontmatter } = record
  return {
    name,
    kind: KINDS[kind],
    role: frontmatter.role ? ROLES[frontmatter.role] : NO_ROLE,
    folder,
    path,
    content: content ? content[0] : null,
    size,
    description: frontmatter.description ?? null,
    more: moreOf(record),
  }
}

/** The fields of frontmatter that have columns of their own, or are left out where they are empty. */
const LISTED_FIELDS = ['name', 'role', 'description', 'tags', 'metadata', 'extra']

function moreOf({ content, size, fragment, frontmatter }: ToolRecord): MoreFacts | null {
  const { tags, metadata, extra } = frontmatter
  // Taking an object apart by a pattern with a rest takes many times as long, and most have no other fields.
  const others = Object.entries(frontmatter).filter(([field]) => !LISTED_FIELDS.includes(field))
  const more: Partial<ToolFrontmatter> = others.length > 0 ? Object.fromEntries(others) : {}
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

/** True if a record says what its row says. */
export function isSameRow(columns: ListColumns, row: number, record: NameRecord): boolean {
  const recorded = rowOf(columns.names[row] as string, record)
  const listed = rowAt(columns, row)
  const fields = Object.keys(listed) as (keyof Row)[]
  return fields.every(field => JSON.stringify(recorded[field]) === JSON.stringify(listed[field]))
}

/** The path of a row, relative to the directory. */
export function pathAt({ names, folders, files }: ListColumns, row: number): string {
  const file = files[row] as number | string
  return typeof file === 'string' ? file : `${folders[file]}${labelOf(names[row] as string)}${FOLDER_FILE}`
}
