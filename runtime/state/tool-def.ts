import type { Diagnostic } from '../../src/base/diagnostic.js'
import type { ToolDetails } from '../../src/index/index-format.js'
import type { ToolFrontmatter, ToolKind } from '../../src/skill/frontmatter.js'
import type { Layer } from '../../src/skill/path-entry.js'

/** The source of a tool: an index, its file, a bundle, … */
export type Via = 'index' | 'disk' | 'bundle' | 'programmatic' | 'remote'

/** The source of a tool. */
export interface Origin {
  /** The layer of its path entry; `programmatic` if a program registered it, `remote` if a server has it. */
  layer: Layer | 'programmatic' | 'remote'
  /** The path entry's directory, absolute. */
  entry: string
  /** Its file, relative to `entry`, `/`-separated. */
  file: string
  /** The source that it was found in. */
  via: Via
  /** Tools of the same name in later path entries, nearest first. Entries without an index count once they were read. */
  readonly shadows: { layer: Layer; entry: string; file: string }[]
}

/** The function of a tool. `ctx` is the context of the call, `args` the caller's arguments. */
export type ToolFunction = (ctx?: unknown, args?: unknown) => unknown

/** A tool. Its content and code are read when first needed. */
export interface ToolDef {
  /** The name that resolves to it, qualified in a namespace: `acme:deploy`. */
  name: string
  /** Its name without a namespace. */
  label: string
  /** `folder` and `file` are Markdown skills. */
  kind: ToolKind
  /**
   * True if a call runs something: code, or a delegate. False for a text to open. An inherited delegate counts if it
   * was compiled.
   */
  readonly runs: boolean
  /** Its frontmatter, with defaults. */
  frontmatter: ToolFrontmatter
  /** Returns a Markdown skill's content, or imports and runs its delegate or code. */
  fn: ToolFunction
  /** Imports its code ahead of the first call. Absent if there is none. */
  load?: () => Promise<unknown>
  /** The URI of its source. */
  readonly src: string | null
  /** The module of a tool in code, once imported. */
  module?: unknown
  /** The exact text after the frontmatter. Absent for code. */
  content?: () => Promise<string>
  /** The bytes of its file. Absent without a file, and in a bundle. */
  source?: () => Promise<Uint8Array>
  origin: Origin
  /** `owner`: the tool itself validates against schemas of unknown dialects. */
  validate?: 'owner'
  /** The digest that approvals are bound to, for a tool without files. */
  digest?: string
  /** The other files of a skill that is not in a directory. */
  files?: SkillFiles
  /** The parts of a skill of a remote path entry that are loaded when they are needed. */
  published?: PublishedParts
}

/** The parts of a skill of a remote path entry, and what marks it as one: it is only a text. */
export interface PublishedParts {
  details: () => Promise<Required<ToolDetails>>
  /** Reads one of its other files; null if it has none of that path. */
  read: (path: string) => Promise<Uint8Array | null>
}

/** The files of a skill that is not in a directory, without its own. */
export interface SkillFiles {
  /** Their paths, sizes in bytes and digests. */
  list: readonly { path: string; size: number; sha256: string }[]
  /** Reads a listed file. */
  read: (path: string) => Promise<Uint8Array>
}

/** The tool that a reference leads to, or the fault of its file; null if there is neither. */
export type Resolution = { tool: ToolDef; broken?: never } | { broken: Diagnostic; tool?: never } | null
