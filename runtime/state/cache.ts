import type { JsonObject } from '../../src/base/json.js'
import type { KnownCascade } from './chain.js'
import type { ToolDef } from './tool-def.js'

/** Process-long, without expiry; cleared explicitly, by `clearToolCache` and `clearAllCaches`. */
export interface Cache {
  /** Results of `findTool`, by `name\0paths`; null means "not found". */
  tool: Map<string, ToolDef | null>
  /** Results of `listTools`, by paths. */
  list: Map<string, ToolDef[]>
  /** Skill files of a directory without an index, absolute, by `directory\0ignore patterns`. */
  dir: Map<string, string[]>
  /** The sound tools of files that were named by their path, by that, absolute. */
  file: Map<string, ToolDef[]>
  /** Each tool's authority, by its source or name. */
  authority: Map<string, ToolDef | null>
  /** The main skill that lies directly in a directory, by its absolute path. */
  mainInDir: Map<string, ToolDef | null>
  /** Each tool's cascade, by `name\0paths`. */
  cascade: Map<string, KnownCascade>
  /** The paths that `${…}` in the configuration of a tool's middleware reads, by `name\0paths`. */
  cascadeDeps: Map<string, readonly string[]>
  /** The names of each middleware's peers; null until somebody asks. */
  cyclicPeers: Map<string, ReadonlySet<string>> | null
  /** The directories from whose indexes `cyclicPeers` was filled, absolute. */
  cyclicPeersSeededDirs: Set<string> | null
  /** The promotions for tools without a file; null until needed, or if a fault makes them unknown. */
  promotions: Promotions | null
  /** The file of each name of a directory without an index, by the directory's absolute path. */
  nameIndex: Map<string, Map<string, string>>
}

/** The promotions of the main skill that tools without a file stand under, by key. */
export interface Promotions {
  local: JsonObject
  global: JsonObject
}

export function emptyCache(): Cache {
  return {
    tool: new Map(),
    list: new Map(),
    dir: new Map(),
    file: new Map(),
    authority: new Map(),
    mainInDir: new Map(),
    nameIndex: new Map(),
    ...emptyCascades(),
  }
}

/** The caches that every registered tool empties. */
export function emptyCascades() {
  return {
    cascade: new Map(),
    cascadeDeps: new Map(),
    cyclicPeers: null,
    cyclicPeersSeededDirs: null,
    promotions: null,
  }
}
