/** The context of a call and the state of a runtime: in one file, as each names the other. */

import type { Diagnostic } from '../../src/base/diagnostic.js'
import type { JsonObject, JsonValue } from '../../src/base/json.js'
import type { Permission } from '../../src/base/permissions.js'
import type { DiskParser } from '../../src/content/disk-parser.js'
import type { DirectoryNames } from '../../src/index/directory-names.js'
import type { Models } from '../../src/own/models.js'
import type { ToolFrontmatter } from '../../src/skill/frontmatter.js'
import type { HookTrigger } from '../../src/skill/metadata-keys.js'
import type { PathEntry } from '../../src/skill/path-entry.js'
import type { SpawnedAgent, SpawnPolicy } from '../../src/skill/tool-context.js'
import type { Chain, ChainStep, KnownCascade } from './chain.js'
import type { DirectoryState } from './directory-state.js'
import type { Progress, RunEvents } from './events.js'
import type { AgentPolicy, Interact, NamedAgent, ProjectConfiguration, RuntimePolicy } from './policy.js'
import type { Store } from './store.js'
import type { Origin, Resolution, ToolDef, Via } from './tool-def.js'

/** Who chose a call: an author's own program, or a model. */
export type CallerKind = 'code' | 'agent'

/** The ids that a host gives a call. Calls made by it inherit all but `callId`. */
export interface CallIds {
  /** Calls that share it belong together: what is kept for a session is kept by it. */
  sessionId?: string | undefined
  /** The message that the call belongs to. */
  messageId?: string | undefined
  /** The host's own name for this call. */
  callId?: string | undefined
  agentId?: string | undefined
  userId?: string | undefined
  workspaceId?: string | undefined
}

/** The owner of the request that an answer is for, and the call that was asked about. */
export interface AnswerOptions extends CallIds {
  /** The call that a person was asked about: its id alone does not tell, where a model gives ids again. */
  call?: { ref: string; args?: unknown } | undefined
}

/** The options of one call, besides its arguments. */
export interface InvokeOptions extends CallIds {
  /** Ends the call: nothing more of it is started. */
  signal?: AbortSignal | undefined
  /** Default `code`. */
  as?: CallerKind | undefined
  /** Values that the caller shares with every call below it. */
  nonlocals?: Record<string, unknown> | undefined
  /** The limits of the agent that this is called for, and of those that it starts. */
  policy?: AgentPolicy | undefined
  /** Milliseconds after which the call fails, in place of what the tool or its configuration says. */
  timeoutMs?: number | undefined
}

/** The context of a call, besides its arguments. `Args` is their type, as the tool's author knows it. */
export interface Context<Args = unknown> {
  /** The invocation's arguments, validated; undefined for a middleware, which is given its configuration. */
  readonly args: Args
  readonly run: Run
  readonly locals: Locals
  /** Values shared with all calls below: a tool sees its caller's; what it sets, only its own calls see. */
  readonly nonlocals: Record<string, unknown>
  readonly globals: Globals
  readonly envelope: Envelope
  readonly manager: Manager
}

/** A context as the runtime's own code sees it. */
export interface CallContext extends Context {
  readonly chain: Chain | undefined
  /** Throws once the call was aborted, so that nothing more is started for it. */
  throwIfAborted: () => void
}

/** One running of a tool. */
export interface Run {
  readonly id: string
  readonly tool: RunningTool
  /** The middlewares around the tool; for a middleware, the chain that it stands in. */
  readonly chain: readonly ChainStep[]
  /** The index in `chain` of what runs now, for a middleware its own; past its end for the tool. */
  readonly index: number
  /** For a middleware that runs as a hook: what set it off, and the name of what it wraps. */
  readonly hook: { trigger: HookTrigger; target: string } | undefined
  /** Ends when the call is no longer wanted. Setting one narrows it, for what is started further in. */
  signal: AbortSignal
  readonly origin: Origin
  /** The optional permissions of the tool that it has for this call. Without an agent above, all. */
  readonly granted: readonly Permission[]
  /** Reports progress to the host. */
  readonly update: (progress: Progress) => void
}

/** The tool that a run is of. */
export interface RunningTool {
  readonly name: string
  readonly def: ToolDef
  /** The schemas in use, once they are resolved. */
  params?: JsonObject
  returns?: JsonObject
}

/** The state of one invocation. */
export interface Locals extends Record<string, unknown> {
  /** The result so far. */
  result: unknown
  /** Configuration that is overridden for this invocation. */
  config: Partial<RuntimeConfig> & Record<string, unknown>
}

/** Whose invocation it is. */
export interface Envelope extends Readonly<CallIds> {
  /** The context that a middleware serves; for a tool its own. */
  readonly target: Context
  /** Undefined where a host called. */
  readonly caller: Context | undefined
  /** How many callers there are. */
  readonly depth: number
  readonly as: CallerKind
}

/** The functions that a tool may call. */
export interface Manager {
  /**
   * Runs all that is further in, and returns the result so far.
   *
   * @throws NEXT_TWICE at a second call, except after a failed one, and after the middleware has ended
   */
  readonly next: () => Promise<unknown>
  /** Calls another tool. */
  readonly invoke: (ref: string, args?: unknown, options?: InvokeOptions) => Promise<unknown>
  /**
   * Starts an agent below this call, which all that is above limits too.
   *
   * @throws OPTIONS_INVALID for anything but limits that narrow
   */
  readonly spawn: (policy: SpawnPolicy | string) => SpawnedAgent
}

/** `trust`: an index is taken as right. `check`: source files that changed are read anew. */
export type Freshness = 'trust' | 'check'

/** The workspace of the library's tools for files and processes. Relative paths start from the runtime's `cwd`. */
export interface WorkspaceOptions {
  /** The folder that relative paths of calls start from. */
  root: string
  /** The folder that these paths start from. Default: the `cwd` of the runtime; in a bundle, of the process. */
  cwd?: string
  /** Other folders that belong to it. */
  also?: readonly string[]
  /** Globs, relative to a folder of it, of files with secrets that may be read nevertheless. */
  read?: readonly string[]
  /** Globs, relative to a folder of it, of protected files that may be written nevertheless. */
  write?: readonly string[]
  /** True if the directories of the path entries may be written. Default: false. */
  skills?: boolean
}

export interface RuntimeConfig {
  /** Path entries, searched left to right. */
  paths: PathEntry[]
  /** The directory that relative paths start from. */
  cwd?: string
  /** The project whose configuration counts where this one says nothing: its folder, or what was loaded. */
  project?: string | ProjectConfiguration
  /** Agents that are chosen by their ids. */
  agents?: readonly NamedAgent[] | undefined
  freshness: Freshness
  /** True if the skills that the package ships are searched after all others. */
  library: boolean
  /** Calls inside calls that are allowed. Default: 64. */
  maxDepth?: number
  /** Variables of the environment that `${env.…}` may name. Default: none. */
  env?: readonly string[]
  /** True if only what an index vouches for is used. Implies `trust`. */
  verify?: boolean
  /** False: no code of the skills is run, except the library's. Default: true. */
  evaluate?: boolean
  /** Packages that code which was not compiled finds at run time, instead of having them bundled. */
  external?: readonly string[]
  /** The limits of agents. */
  policy?: RuntimePolicy | undefined
  /** Asks a person whether an agent's call may run. */
  interact?: Interact
  /** How long a person has for an answer, in milliseconds. Default: 5 minutes. */
  interactTimeoutMs?: number
  /** True lets several questions for one session and user wait for answers at the same time. */
  interactParallel?: boolean
  /** Keeps the state of sessions. Default: memory. */
  store?: Store
  /** The folder that the library's tools for files and processes work in. Without it, there are none. */
  workspace?: string | WorkspaceOptions
  /** True where the paths are those of a project's file, which the program did not choose. */
  isProjects?: boolean
  /** The project's configuration of agents, in effect as far as the project is trusted. */
  projects?: ProjectConfiguration
  /** True where the program is part of the project, and so has chosen it; absent until an agent makes that matter. */
  isOwn?: boolean
}

/** A tool's configuration, as the host gives it. */
export interface ToolConfig {
  // Programs may be compiled without `exactOptionalPropertyTypes`, where `undefined` is a value of what is optional.
  [key: string]: JsonValue | undefined
  /** True if agents may know of the tool. */
  enabled?: boolean
  /** Milliseconds after which its calls fail. */
  timeoutMs?: number
}

/** Options that say what agents and tools may do. */
export interface UncheckedLimits {
  policy?: RuntimePolicy | undefined
  agents?: readonly NamedAgent[] | undefined
  config?: { tools?: Readonly<Record<string, ToolConfig>> } | undefined
}

/** All state of a runtime. Nothing of agent-apps lies outside of one. */
export interface Globals {
  config: RuntimeConfig
  cache: Cache
  /** Tools registered by code, by the name or URI they are found by. They come before those from disk. */
  tools: { programmaticTools: RegisteredTools }
  /** The configuration of each tool, by name: apart from `config`, which skills can read. */
  toolConfig?: Readonly<Record<string, ToolConfig>> | undefined
  /** The models that agents run on, by name: apart from `config`, which skills can read. */
  models?: Models | undefined
  /** Checks at once what an agent is spawned with; absent where the first call does. */
  checkSpawned?: (given: SpawnPolicy | string) => void
  /** The options of agents and tools, until they are checked. */
  unchecked?: unknown
  /** The state of each directory, by its absolute path and ignore patterns. */
  directories: Map<string, DirectoryState>
  /** The tools of a directory's names, so that one tool is one object. */
  byName: WeakMap<DirectoryNames, Map<string, ToolDef>>
  /** Look-ups under way, so that calls at the same time share one. */
  resolving: Map<string, Promise<Resolution>>
  /** Chains under way, as `resolving`: by the key of `cache.cascade`. */
  settling: Map<string, { tool: ToolDef; chain: Promise<Chain> }>
  /** The keys in `cache.tool` that say "not found", oldest first. */
  missing: Set<string>
  /** The diagnostics so far, by file and rule. */
  diagnostics: Map<string, Diagnostic>
  stats: Stats
  /** The digest of what compiled cascades have to be made of to hold, and the text that it is of. */
  cascadeKey?: { text: string; digest: string }
  /** The second half of cache keys, and the path entries that it is of. */
  pathsKey?: PathsKey
  /** The listeners to calls. */
  events: RunEvents
  /** Reads the configuration of the runtime's project; absent where that was done, or need not be. */
  configure?: () => Promise<void>
  /** Takes the values of secret variables out of what is said; absent where there are none. */
  redact?: <Value>(value: Value) => Value
  /** Its turns and tools with hooks, once there are any. */
  lifecycle?: Lifecycle
  /** The code of the method that was called last, or what loads it. */
  load?: unknown
  /** Functions that end the resources that tools keep for a session besides their state; without an id, for all sessions. */
  sessionEnds?: ((sessionId?: string) => Promise<void>)[]
  /** In a bundle, its runtime: it answers for these where a copy of the code over another disk gets them. */
  bundle?: BundleRuntime
  /** True once the runtime is closed: nothing is looked up any more. */
  closed?: true
  /** The view that agents have of the runtime as long as its project is not trusted. */
  untrustedView?: Globals
  /** In that view, the runtime that it is of. */
  own?: Globals
  /** True in that view: it runs no code of the project, which reaches nothing but itself. */
  isUntrusted?: true
  /** The compiler's reader, once a miss has asked for it; null where it is absent. */
  parser?: Promise<DiskParser | null>
}

/** The answers of a bundle's runtime, for callers that have its globals. */
export interface BundleRuntime {
  findTool: (ref: string) => Promise<ToolDef | null>
  listTools: () => Promise<ToolDef[]>
  invoke: (ref: string, args?: unknown, options?: InvokeOptions) => Promise<unknown>
  readResource: (ref: string, path: string) => Promise<Uint8Array>
}

/** Counts since the runtime was made. */
export interface Stats {
  /** Tools resolved, by the way they came. */
  via: Record<Via, number>
  /** Cascades that were resolved at run time, as they were not compiled or changed since. */
  cascadesComputed: number
  /** Names that were found nowhere. */
  missing: number
  /** The use of the compiler's reader of skill files. */
  parser: 'unused' | 'loaded' | 'absent'
}

/** The last key that was made, and what of. */
export interface PathsKey {
  entries: PathEntry[]
  cwd: string | undefined
  key: string
  /** The version of the shared tools that the caches were filled with. */
  shared: number | undefined
}

/** Tools by the name or URI that they are found by. */
export interface RegisteredTools extends Map<string, ToolDef> {
  /** Tools that are found after these: for a runtime, those of the process's default globals. */
  readonly shared?: RegisteredTools | undefined
  /** How many changes there have been. */
  readonly version: number
  set: (key: string, tool: ToolDef | SetTool) => this
}

/** A tool as a program sets it, such as a test's stand-in: what it leaves out is filled in. */
export interface SetTool {
  name: string
  fn: (ctx: Context, args: unknown) => unknown
  /** As it is parsed, `params` at its top, or as an author writes it, `params` under `metadata`. */
  frontmatter?: Partial<ToolFrontmatter>
  src?: string | null
  module?: unknown
  /** The text that `content()` gives. */
  content?: string
}

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

/** A call, as far as turns and hooks concern it. */
export interface ManagedCall {
  readonly tool: ToolDef
  readonly caller: unknown
  readonly run: { signal: AbortSignal }
  throwIfAborted: () => void
}

/**
 * A runtime's turns, tools with hooks, and switched-off tools. Absent until there are any: other runtimes pay
 * nothing for them.
 */
export interface Lifecycle {
  /** Gives a call that a host makes the signal of its turn. */
  enter: (call: ManagedCall) => void
  /** Throws TOOL_INACTIVE or INIT_FAILED for a tool that cannot be called now. Waits until it is known which that are. */
  admit: (tool: ToolDef) => Promise<void> | undefined
  /** False for a tool that is not to be listed. */
  isAvailable: (tool: ToolDef) => boolean
  /** Runs a tool with hooks, once it is initialised. */
  run: (fn: object, call: ManagedCall, work: (instance: unknown) => Promise<unknown>) => Promise<unknown>
  /** Called when a registered tool came or went. */
  forget: (name: string) => void
  /** Deactivates and disposes of all tools with hooks. */
  shutDown: () => Promise<void>
}
