/**
 * The index: what the compiler writes beside a directory of skills and the runtime reads. This file is the
 * contract between the two; `encode-index.ts` beside it writes it, `read-index.ts` reads it, and
 * `schema/index.json` describes it to others.
 *
 * `.agent-apps.json` is a header and, where the directory is small, all records in sections:
 *
 *     {
 *     "$schema": …, "version": 2, "hash": …, …header fields,
 *     "tools": {
 *     "review": { …what finding and listing it needs },
 *     …
 *     },
 *     "details": {
 *     "review": { …what only opening it needs },
 *     …
 *     },
 *     "files": {
 *     "review/SKILL.md": { …size, digest, diagnostics },
 *     …
 *     },
 *     "cascades": {
 *     "review": { …the chain around it, and what it inherits },
 *     …
 *     },
 *     "contents": {
 *     "review": { …the parts of its content, where that has directives },
 *     …
 *     }
 *     }
 *
 * Past `INLINE_RECORDS` records the sections move into shards, `.agent-apps/index-<digest>.json`, each of the
 * same sections. The record of a key stands in shard number `shardOf(shardKey(section, key), count)`, so that
 * finding one reads the header and one shard, however many skills there are. A tool of a namespace is found
 * by its bare name in the same shard. A shard is named by its content, so that
 * the reader of a header finds exactly the shards of that header, or none. So are the list beside the shards, from which all tools are
 * listed (`list-columns.ts` describes it), and the search file (`src/search/search-file.ts`).
 *
 * Every record is one line, and every line but a record's belongs to the frame above. Keys of our records are
 * sorted, authors' values keep their order. Last of all stands `check`, a checksum of the line before it, so that to
 * look for one record, no other must be read, or digested. Nothing is absolute, and there is no time, host or user in it:
 * the same tree gives the same bytes on every machine.
 */
import type { Diagnostic } from '../base/diagnostic.js'
import type { JsonObject, JsonValue } from '../base/json.js'
import type { ToolFrontmatter, ToolKind } from '../skill/frontmatter.js'
import type { HookTrigger } from '../skill/metadata-keys.js'
import { labelOf } from '../skill/names.js'
import type { ToolReference } from '../skill/reference.js'
import type { ContentRecord } from './content-record.js'

export const INDEX_FILE = '.agent-apps.json'
/** The folder beside the index for shards and modules, and for the machine's own cache. */
export const INDEX_DIRECTORY = '.agent-apps'
export const INDEX_VERSION = 2
export const INDEX_SCHEMA = 'agent-apps/schema/index.json'

/** More records (tools and files together) than this are split into shards. */
export const INLINE_RECORDS = 256
/** About how many records one shard holds: few, since a look-up reads a shard of each directory up to the one that has the name. */
const SHARD_RECORDS = 128
/** With more shards, reading their digests in the header takes longer than larger shards do. */
const SHARDS_MAX = 4096

export const SECTIONS = ['tools', 'details', 'files', 'cascades', 'contents'] as const
export type Section = (typeof SECTIONS)[number]

/** The end of an index file, and of each of its shards: a file without it is cut off. */
export const INDEX_END = '\n}\n'

/**
 * Ends a record's line, given without its closing brace, with a checksum. The checksum shows what a disk or a
 * copy did to the line; deliberate changes show only in the index's `hash` and its shards' digests.
 */
export function sealed(line: string): string {
  return `${line},"check":"${checksum(line).toString(16).padStart(8, '0')}"}`
}

export interface IndexHeader {
  $schema: string
  version: typeof INDEX_VERSION
  /** SHA-256 over the records: over the sections' text, or over the shards' names where it is split. */
  hash: string
  /** The ignore patterns that held; an index made under others is not used. */
  ignore: string[]
  /** The namespace of the path entry, where it is configured; an index made under another is not used. */
  namespace?: string
  /** True where the directory is a repository whose units were discovered; an index made otherwise is not used. */
  discover?: true
  /**
   * Digest of the directory's listing, or its units', which shows a reader that an entry was added at its
   * top.
   */
  listing: string
  /** The folders of a repository whose change may change `listing`, relative to it, in code-point order. */
  listed?: string[]
  /**
   * The folders with skills, relative to it, most skills first: a runtime looks there for a name that the
   * index lacks.
   */
  folders?: string[]
  /** The units of the directory, in search order; absent where it is one unit as a whole. */
  units?: UnitRecord[]
  /** The plugins whose skills are in the directory, in search order. */
  plugins?: PluginRecord[]
  /** The plugin manifests that define its units. Each has a record in `files`, too. */
  manifests?: ManifestRecord[]
  counts: { files: number; found: number; skipped: number }
  /** True where the search for skills stopped at a limit, so that some may be missing; absent otherwise. */
  cut?: true
  /** Digest of everything in this directory that a cascade can be made of: names, roles, metadata. */
  cascadeInput: string
  /**
   * Digest of the `cascadeInput` of all the project's directories in order, and of the library's. Cascades depend
   * on all of them together: a reader that finds other ones resolves cascades itself.
   */
  cascadeKey: string
  /** The `cascadeKey` of a project without the library; absent where there are cascades, which may depend on it. */
  ownCascadeKey?: string
  /**
   * Every file that code or a schema was compiled to, source maps included, relative to the directory; absent
   * without any.
   */
  modules?: string[]
  /** The shards' digests in order; absent if the sections are in this file. */
  shards?: string[]
  /** The digest of the list of the shards' tools, which `list-columns.ts` describes; absent where there are no shards. */
  list?: string
  /** The digest of the table of its search file, `src/search/search-file.ts`; absent without one. */
  search?: string
  /** The vectors of its tools, `src/search/vector-file.ts`: the model that made them, and the digest of their file; absent without. */
  vectors?: { model: string; digest: string }
}

/**
 * A self-contained folder of the directory: the files that its skills include and link to, and the main
 * skills over them, are in it.
 */
export interface UnitRecord {
  /** The manifest that lists it, relative to the directory. */
  manifest?: string
  /** The namespace of its skills. */
  namespace?: string
  /** Relative to the directory; empty for the directory itself. */
  path: string
}

/** A plugin, by its manifest. */
export interface PluginRecord {
  description?: string
  name: string
  version?: string
}

export interface ManifestRecord extends FileDigest {
  /** Relative to the directory. */
  path: string
}

/** A tool as finding and listing need it. */
export interface ToolRecord {
  /** The range of its content in the source file: bytes from, bytes to. Absent for code. */
  content?: [start: number, end: number]
  /** The names in its content that would be directives where tools of these names are. Absent where there are no such names. */
  directives?: string[]
  /** The compiled `metadata.delegate`; absent if it names a tool. */
  delegate?: ModuleRecord | InlineRecord
  /**
   * True if part of its metadata is known only by running the code. Never in an index: compiling has run it.
   */
  dynamic?: true
  /** True if its permissions are known only by running the code. Never in an index. */
  permissionsUnknown?: true
  /** The export that holds it, for code. */
  exported?: string
  /** The source, relative to the directory, `/`-separated, inside it. */
  file: string
  /** Set where the file holds several tools: the name that picks this one. */
  fragment?: string
  frontmatter: ToolFrontmatter
  kind: ToolKind
  /** The code, for a tool that is code. */
  module?: ModuleRecord
  /** Bytes in the source file, by which a reader sees that the content's place still holds. */
  size: number
  /**
   * The modules that `params` and `returns` were compiled to, relative to the directory; absent for schemas
   * that are interpreted.
   */
  validators?: ValidatorRecord
}

/** Tools whose schemas are the same share a module. */
export interface ValidatorRecord {
  params?: string
  returns?: string
}

/** Code that was made an ES module. */
export interface ModuleRecord {
  /** The module, relative to the directory, inside it. */
  file: string
  /** The source files of the directory that are in it, by which a reader sees that it still holds. */
  inputs: string[]
  /**
   * Set where other files of the project are in it too, which a reader cannot look at: the SHA-256 of their
   * `digestedFiles`.
   */
  outside?: string
}

/** A Markdown text that stood in the frontmatter. */
export interface InlineRecord {
  markdown: string
}

/** In the place of a tool that its file's faults keep from loading, so that no other takes its name unnoticed. */
export interface BrokenRecord {
  broken: Diagnostic
  file: string
}

export type NameRecord = ToolRecord | BrokenRecord

/**
 * Under a bare name that no tool has: the qualified names of the tools that it refers to, in search order.
 */
export interface NamesakesRecord {
  names: string[]
}

/** The data that only opening a tool needs. */
export interface ToolDetails {
  /** The author's frontmatter, as JSON, nothing dropped or normalised. */
  verbatim: JsonObject
  /** The other files of a folder skill, in code-point order of path. */
  resources: ResourceRecord[]
  /** The digest of its own file; null without one. Never in a tool's record: it is in `files`. */
  file?: FileDigest | null
  /** The tool's references, in the file's order; absent if there are none. */
  references?: ToolReference[]
  /** The placeholders of other hosts in its content and `allowed-tools`; absent if there are none. */
  placeholders?: HostPlaceholder[]
}

/** A placeholder that another host would fill in, or run, before a model reads the text. */
export interface HostPlaceholder {
  kind: 'variable' | 'argument' | 'command'
  /** The spelling in the file. */
  text: string
}

/** One of a folder skill's other files. */
export interface ResourceRecord extends FileDigest {
  /** Relative to the skill's folder, `/`-separated. */
  path: string
}

export interface FileDigest {
  /** Bytes. */
  size: number
  /** SHA-256, hexadecimal. */
  sha256: string
}

/** A skill file, whether or not a tool came of it, or another file that tools are made of. */
export interface FileRecord extends FileDigest {
  diagnostics: Diagnostic[]
  /** The names it gives to the directory, in the file's order. */
  tools: string[]
}

/** A tool of another directory: the number of the project's directory, in search order, and its name there. */
export type ToolAddress = [directory: number | 'library', name: string]

/** The cascade of a tool. Absent for a tool without middleware that depends on no other tool of the project. */
export interface CascadeRecord {
  /** The chain around it, outermost first. */
  chain: ChainRecord[]
  /** Whose `delegate` is its body, where that is inherited. */
  body?: ToolAddress
  /** The paths that `${…}` in the chain's arguments reads. */
  deps?: string[]
  /** Effective values that are not the tool's own as they stand there, `null` for what is taken away. */
  metadata?: JsonObject
  /** True where it depends on what only a runtime knows, and is resolved there. */
  open?: true
  /** The tools that use it as middleware and are used by it. */
  peers?: string[]
  /** Why it cannot be resolved: the tool is found and not run. */
  problem?: RecordedProblem
  /** The tools whose files it depends on, besides its own; with a problem, the one at fault where that is another. */
  sources?: ToolAddress[]
}

/** The fault of a tool's metadata, or of that of the one in `sources`. */
export interface RecordedProblem {
  message: string
  hint: string
  /** The place in the file at fault, from 1; absent if that is the library's. */
  position?: { line: number; column: number }
}

/** A middleware of a chain. */
export interface ChainRecord {
  args: JsonValue
  hook?: HookTrigger[]
  name: string
  static?: true
}

export interface IndexRecords {
  cascades: Record<string, CascadeRecord>
  contents: Record<string, ContentRecord>
  tools: Record<string, NameRecord | NamesakesRecord>
  details: Record<string, ToolDetails>
  files: Record<string, FileRecord>
}

/** How many shards hold this many records: a power of two, up to `SHARDS_MAX`; 0 where they stand in the index file itself. */
export function shardCount(records: number): number {
  if (records <= INLINE_RECORDS) return 0
  return Math.min(SHARDS_MAX, 2 ** Math.ceil(Math.log2(records / SHARD_RECORDS)))
}

/** The number of the shard that holds a key's records. */
export function shardOf(key: string, count: number): number {
  return checksum(key) % count
}

/** The key that decides on the shard of a record: a file's path, or a tool's name without its namespace. */
export function shardKey(section: Section, key: string): string {
  return section === 'files' ? key : labelOf(key)
}

/** FNV-1a over a text's UTF-16 units. */
function checksum(text: string): number {
  let hash = 0x811c9dc5
  for (let position = 0; position < text.length; position++) {
    hash = Math.imul(hash ^ text.charCodeAt(position), 0x01000193)
  }
  return hash >>> 0
}

export function shardFile(digest: string): string {
  return `${INDEX_DIRECTORY}/index-${digest}.json`
}

export function isBroken(record: NameRecord | NamesakesRecord): record is BrokenRecord {
  return 'broken' in record
}

/** The most calls of middleware that one call of a tool may expand to. */
export const CALLS_MAX = 1000
