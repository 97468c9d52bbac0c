import type { PathEntry } from '../../../src/skill/path-entry.js'

/** The parts of a bundle. Paths are the bundle's own: absolute, and virtual. */
export interface BundleParts {
  cwd: string
  /** The path entries for the runtime. */
  paths: PathEntry[]
  /** The place of the package's own skills; null if they are not searched. */
  library: string | null
  /** Variables of the environment that metadata and content may name. */
  env: readonly string[]
  /** The names of the tools that it exports. */
  names: string[]
  /** True if the host may open a workspace: it then creates runtimes with its own options. */
  opensWorkspace: boolean
  directories: BundledDirectory[]
}

export interface BundledDirectory {
  /** Its place in the bundle. */
  at: string
  /** The place on this disk, absolute. */
  dir: string
  index: BundledText
  shards: BundledShard[]
  /** More texts whose SHA-256 a reader asks for: the inputs of cascades, the names of shards. */
  digests: [text: string, digest: string][]
  files: BundledSource[]
  /** The modules of code and schemas, relative to it. */
  modules: string[]
}

/** An index, cut where the part begins and ends that a reader asks the SHA-256 of. */
export interface BundledText {
  path: string
  before: string
  digested: string
  after: string
  digest: string
}

/** A part of an index that is loaded when something in it is asked for. */
export interface BundledShard {
  path: string
  text: string
  digest: string
}

/** A file of which parts are read at run time. */
export interface BundledSource {
  path: string
  size: number
  parts: { start: number; end: number; bytes: Uint8Array }[]
}

/** A file that code finds by its place, which is written beside the chunks. */
export interface BundledAsset {
  name: string
  /** The place on this disk, absolute. */
  file: string
  contents: Uint8Array
}

/** The first line of every file of a bundle, by which it is known again. */
export const MARK = '// Made by agent-apps. Do not edit: the next `agent-apps compile --bundle` replaces it.'
