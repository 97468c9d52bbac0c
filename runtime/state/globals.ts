import type { Diagnostic } from '../../src/base/diagnostic.js'
import type { JsonObject } from '../../src/base/json.js'
import type { DiskParser } from '../../src/content/disk-parser.js'
import type { NameRecord } from '../../src/index/index-format.js'
import { CONVENTIONAL_DIRECTORIES, type PathEntry } from '../../src/skill/path-entry.js'
import type { Chain, KnownCascade } from './chain.js'
import type { DirectoryState } from './directory-state.js'
import { RunEvents } from './events.js'
import { RegisteredTools } from './registered-tools.js'
import type { Resolution, ToolDef, Via } from './tool-def.js'

/** `trust`: an index is right, nothing is looked at to resolve. `check`: source files that changed are read anew. */
export type Freshness = 'trust' | 'check'

export interface RuntimeConfig {
  /** Where skills lie, searched left to right. */
  paths: PathEntry[]
  /** What relative paths start from. */
  cwd?: string
  freshness: Freshness
  /** Whether the skills that the package ships are searched after all others. */
  library: boolean
  /** Calls inside calls that are allowed. Default: 64. */
  maxDepth?: number
  /** Variables of the environment that `${env.…}` may name. Default: none. */
  env?: readonly string[]
  /** Whether only what an index vouches for is used. Implies `trust`. */
  verify?: boolean
  /** Whether code of the skills is run; the library's always is. Default: true. */
  evaluate?: boolean
  /** Packages that code which was not compiled finds at run time, instead of having them bundled. */
  external?: readonly string[]
}

/** Process-long, without expiry; cleared explicitly, by `clearToolCache` and `clearAllCaches`. */
export interface Cache {
  /** Results of `findTool`, by `name\0paths`; null means "not found". */
  tool: Map<string, ToolDef | null>
  /** Results of `listTools`, by paths. */
  list: Map<string, ToolDef[]>
  /** The skill files of a directory that was read without an index, absolute, by `directory\0ignore patterns`. */
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
  /** What reaches a tool that has no file; null until somebody asks, and where a fault keeps it from being known. */
  promotions: Promotions | null
  /** The file of each name of a directory that was read without an index, by the directory's absolute path. */
  nameIndex: Map<string, Map<string, string>>
}

/** What the main skill promotes under which tools without a file stand, by key. */
export interface Promotions {
  local: JsonObject
  global: JsonObject
}

/** All state of a runtime. Nothing of agent-apps lies outside of one. */
export interface Globals {
  config: RuntimeConfig
  cache: Cache
  /** Tools registered by code, by the name or URI they are found by. They come before those from disk. */
  tools: { programmaticTools: RegisteredTools }
  /** What is known of each directory, by its absolute path and ignore patterns. */
  directories: Map<string, DirectoryState>
  /** Each record's tool, so that one tool is one object. */
  byRecord: WeakMap<NameRecord, ToolDef>
  /** Look-ups under way, so that calls at the same time share one. */
  resolving: Map<string, Promise<Resolution>>
  /** Chains under way, as `resolving`: by the key of `cache.cascade`. */
  settling: Map<string, { tool: ToolDef; chain: Promise<Chain> }>
  /** The keys in `cache.tool` that say "not found", oldest first. */
  missing: Set<string>
  /** What was found wrong so far, by file and rule. */
  diagnostics: Map<string, Diagnostic>
  stats: Stats
  /** The digest of what compiled cascades have to be made of to hold, and the text that it is of. */
  cascadeKey?: { text: string; digest: string }
  /** The second half of cache keys, and the path entries that it is of. */
  pathsKey?: PathsKey
  /** Tells hosts what is called. */
  events: RunEvents
  /** True once the runtime is closed: nothing is looked up any more. */
  closed?: true
  /** The compiler's reader, once a miss has asked for it; null where it is absent. */
  parser?: Promise<DiskParser | null>
}

/** Counts since the runtime was made. */
export interface Stats {
  /** Tools resolved, by the way they came. */
  via: Record<Via, number>
  /** Cascades that were resolved at run time, as they were not compiled or changed since. */
  cascadesComputed: number
  /** Names that were found nowhere. */
  missing: number
  /** Whether the compiler's reader of skill files was needed, and was there. */
  parser: 'unused' | 'loaded' | 'absent'
}

/** Fresh state with empty caches, in which nothing is found before it is registered, as tests want it. */
export function emptyGlobals(): Globals {
  return createGlobals({ library: false })
}

/** New state with a configuration. */
export function createGlobals(config: Partial<RuntimeConfig> = {}): Globals {
  return {
    config: {
      paths: [],
      library: true,
      ...config,
      freshness: config.freshness ?? (config.verify ? 'trust' : defaultFreshness()),
    },
    cache: emptyCache(),
    tools: { programmaticTools: new RegisteredTools() },
    directories: new Map(),
    byRecord: new WeakMap(),
    resolving: new Map(),
    settling: new Map(),
    missing: new Set(),
    diagnostics: new Map(),
    events: new RunEvents(),
    stats: {
      via: { index: 0, disk: 0, bundle: 0, programmatic: 0, remote: 0 },
      cascadesComputed: 0,
      missing: 0,
      parser: 'unused',
    },
  }
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

/** What changes with every tool that is registered. */
export function emptyCascades() {
  return {
    cascade: new Map(),
    cascadeDeps: new Map(),
    cyclicPeers: null,
    cyclicPeersSeededDirs: null,
    promotions: null,
  }
}

function defaultFreshness(): Freshness {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return process?.env?.NODE_ENV === 'production' ? 'trust' : 'check'
}

const DEFAULT = Symbol.for('agent-apps.globals')

/** The state that `findTool`, `listTools` and `invoke` use where they are given none: one for the process, whichever copies of the package are loaded. */
export function defaultGlobals(): Globals {
  const holder = globalThis as unknown as Record<symbol, Globals | undefined>
  holder[DEFAULT] ??= createGlobals({ paths: [...CONVENTIONAL_DIRECTORIES] })
  return holder[DEFAULT]
}

/** Keeps a diagnostic, once. */
export function addDiagnostic({ diagnostics }: Globals, diagnostic: Diagnostic): void {
  const { file, rule, line, column } = diagnostic
  diagnostics.set([file, rule, line, column].join('\0'), diagnostic)
}

/** The last key that was made, and what of. */
export interface PathsKey {
  entries: PathEntry[]
  cwd: string | undefined
  key: string
}
