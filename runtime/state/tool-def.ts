import type { Diagnostic } from '../../src/base/diagnostic.js'
import type { ToolFrontmatter, ToolKind } from '../../src/skill/frontmatter.js'
import type { Layer } from '../../src/skill/path-entry.js'

/** The way a tool came: from an index, from its file, from the bundle that it is part of, … */
export type Via = 'index' | 'disk' | 'bundle' | 'programmatic' | 'remote'

/** The source of a tool. */
export interface Origin {
  layer: Layer | 'programmatic' | 'remote'
  /** The path entry's directory, absolute. */
  entry: string
  /** Its file, relative to `entry`, `/`-separated. */
  file: string
  via: Via
  /** Tools of the same name in later path entries, nearest first; without an index, once they were read. */
  readonly shadows: { layer: Layer; entry: string; file: string }[]
}

/** The function of a tool: `ctx` is the context it runs in, `args` the caller's arguments. */
export type ToolFunction = (ctx?: unknown, args?: unknown) => unknown

/**
 * A tool that can be called. Cheap to make: its content is read when it is first needed, and the fields of a tool of a
 * directory are made when they are read. So a copy by spread, or JSON, has its name alone: name the fields that you need.
 */
export interface ToolDef {
  /** The name that resolves to it, qualified where it has a namespace: `acme:deploy`. */
  name: string
  /** Its name without a namespace. */
  label: string
  kind: ToolKind
  /**
   * True if calling it does something: code, or a delegate. False for a text to open. A delegate that it inherits
   * counts where it was compiled.
   */
  readonly runs: boolean
  frontmatter: ToolFrontmatter
  /** Gives a Markdown skill's content, or runs its delegate or its code, which is imported then. */
  fn: ToolFunction
  /** Imports its code, so that the first call need not. Absent where there is nothing to import. */
  load?: () => Promise<unknown>
  /** The source's URI. */
  readonly src: string | null
  /** The module of a tool in code, once it was imported. */
  module?: unknown
  /** The exact text after the frontmatter. Absent for code. */
  content?: () => Promise<string>
  /** The bytes of its file. Absent where it has none, and in a bundle. */
  source?: () => Promise<Uint8Array>
  origin: Origin
  /** `owner`: the owner of the tool checks arguments and results against schemas of unknown dialects. */
  validate?: 'owner'
  /** The digest that its approvals are bound to, if it is not made of files. */
  digest?: string
  /** The other files of a skill that no directory has. */
  files?: SkillFiles
}

/** The files of a skill that no directory has, without its own. */
export interface SkillFiles {
  /** The files. Size in bytes. */
  list: readonly { path: string; size: number; sha256: string }[]
  /** The bytes of one that is listed. */
  read: (path: string) => Promise<Uint8Array>
}

/** The tool that a reference leads to, or the fault of its file, or nothing. */
export type Resolution = { tool: ToolDef; broken?: never } | { broken: Diagnostic; tool?: never } | null
