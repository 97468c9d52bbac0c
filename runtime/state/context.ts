/** The context of a call and the state of a runtime: in one file, since each refers to the other. */

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
import type { RemoteSkills } from './remote.js'
import type { SearchFunctions } from './search-functions.js'
import type { Store } from './store.js'
import type { Origin, Resolution, ToolDef, Via } from './tool-def.js'

/** The one that chose a call: an author's own program, or a model. */
export type CallerKind = 'code' | 'agent'

/** The ids that a host gives a call. Calls made by it inherit all but `callId`. */
export interface CallIds {
  /** The session: calls with the same id share its state. */
  sessionId?: string | undefined
  /** The message that the call belongs to. */
  messageId?: string | undefined
  /** The host's name for this call. */
  callId?: string | undefined
  /** The agent that calls. */
  agentId?: string | undefined
  /** The user for whom it calls. */
  userId?: string | undefined
  /** The workspace that the call belongs to. */
  workspaceId?: string | undefined
}

/** The owner of an answered request, and the call that it is about. */
export interface AnswerOptions extends CallIds {
  /** The call that a person was asked about. Its id alone is ambiguous if a model reuses ids. */
  call?: { ref: string; args?: unknown } | undefined
}

/** The options of one call, besides its arguments. */
export interface InvokeOptions extends CallIds {
  /** Aborts the call: nothing more is started for it. */
  signal?: AbortSignal | undefined
  /** Default `code`. */
  as?: CallerKind | undefined
  /** Values for this call and every call below it. */
  nonlocals?: Record<string, unknown> | undefined
  /** The limits of the calling agent and of the agents that it starts. */
  policy?: AgentPolicy | undefined
  /** Milliseconds after which the call fails; overrides the tool and its configuration. */
  timeoutMs?: number | undefined
}

/** The context of a call. `Args` is the type of its arguments, as the tool's author knows it. */
export interface Context<Args = unknown> {
  /** The validated arguments; undefined for a middleware, which gets its configuration instead. */
  readonly args: Args
  /** The running call. */
  readonly run: Run
  /** The state of this call alone, such as the result so far. */
  readonly locals: Locals
  /** Values shared with all calls below: a tool reads its caller's, and what it sets reaches only the calls that it makes. */
  readonly nonlocals: Record<string, unknown>
  /** The state of the runtime. */
  readonly globals: Globals
  /** The ids of the call, its caller, and the call that it serves. */
  readonly envelope: Envelope
  /** The functions that a tool may call. */
  readonly manager: Manager
}

/** A context, as the runtime's own code sees it. */
export interface CallContext extends Context {
  readonly chain: Chain | undefined
  /** Throws once the call is aborted, so that nothing more is started for it. */
  throwIfAborted: () => void
}

/** A running call: its tool, the chain around that, and the signal that ends it. */
export interface Run {
  readonly id: string
  readonly tool: RunningTool
  /** The middlewares around the tool; for a middleware, the chain that it is part of. */
  readonly chain: readonly ChainStep[]
  /** The index in `chain` of the step that runs; for the tool, the length of `chain`. */
  readonly index: number
  /** For a middleware that runs as a hook: its trigger, and the name of the wrapped step or tool. */
  readonly hook: { trigger: HookTrigger; target: string } | undefined
  /** Aborts when the call is no longer wanted. A signal that is set also aborts it, for everything started further in. */
  signal: AbortSignal
  readonly origin: Origin
  /** The optional permissions that are granted to this call. Without an agent above, all. */
  readonly granted: readonly Permission[]
  /** Reports progress to the host. */
  readonly update: (progress: Progress) => void
}

/** The tool of a running call. */
export interface RunningTool {
  readonly name: string
  readonly def: ToolDef
  /** The schemas, once they are resolved. */
  params?: JsonObject
  returns?: JsonObject
}

/** The state of one invocation. */
export interface Locals extends Record<string, unknown> {
  /** The result so far. */
  result: unknown
  /** Overrides of the configuration for this invocation. */
  config: Partial<RuntimeConfig> & Record<string, unknown>
}

/** The caller of an invocation, and its ids. */
export interface Envelope extends Readonly<CallIds> {
  /** The context that a middleware serves; for a tool, its own. */
  readonly target: Context
  /** Undefined for a call by the host. */
  readonly caller: Context | undefined
  /** The number of calls above it; 0 for a call by the host. */
  readonly depth: number
  /** `agent` if a model chose the call. */
  readonly as: CallerKind
}

/** The functions that a tool may call. */
export interface Manager {
  /**
   * Runs everything further in, and returns the result so far.
   *
   * @throws NEXT_TWICE at a second call, except after a failed one, and after the middleware has ended
   */
  readonly next: () => Promise<unknown>
  /** Calls another tool. */
  readonly invoke: (ref: string, args?: unknown, options?: InvokeOptions) => Promise<unknown>
  /**
   * Starts an agent below this call. The limits above the call hold for it, too.
   *
   * @throws OPTIONS_INVALID for anything but limits that narrow
   */
  readonly spawn: (policy: SpawnPolicy | string) => SpawnedAgent
}

/** `trust`: an index is used without a look at the files. `check`: files that changed are read again. */
export type Freshness = 'trust' | 'check'

/** The workspace of the library's tools for files and processes. */
export interface WorkspaceOptions {
  /** The folder that relative paths of calls start from. */
  root: string
  /** The folder that the paths in these options start from. Default: the `cwd` of the runtime; in a bundle, of the process. */
  cwd?: string
  /** Other folders of the workspace. */
  also?: readonly string[]
  /** Globs, relative to a folder of it, of files with secrets that may be read all the same. */
  read?: readonly string[]
  /** Globs, relative to a folder of it, of protected files that may be written all the same. */
  write?: readonly string[]
  /** True if the directories of the path entries may be written. Default: false. */
  skills?: boolean
}

export interface RuntimeConfig {
  /** Path entries, searched left to right. */
  paths: PathEntry[]
  /** The directory that relative paths start from. */
  cwd?: string
  /** The project whose configuration supplies the defaults: its folder, or the loaded `project`. */
  project?: string | ProjectConfiguration
  /** Agents that are chosen by their ids. */
  agents?: readonly NamedAgent[] | undefined
  freshness: Freshness
  /** True if the package's own skills are searched after all others. */
  library: boolean
  /** The deepest nesting of calls. Default: 64. */
  maxDepth?: number
  /** Environment variables that `${env.…}` may read. Default: none. */
  env?: readonly string[]
  /** True if files are compared with the index's digests before use. Implies `trust`. */
  verify?: boolean
  /** False: no code of the skills is run, except the library's. Default: true. */
  evaluate?: boolean
  /** Packages that uncompiled code imports at run time instead of having them bundled. */
  external?: readonly string[]
  policy?: RuntimePolicy | undefined
  /** Asks a person whether an agent's call may run. */
  interact?: Interact
  /** The time a person has to answer, in milliseconds. Default: 5 minutes. */
  interactTimeoutMs?: number
  /** True lets several questions for one session and user wait for answers at the same time. */
  interactParallel?: boolean
  /** Keeps the state of sessions. Default: memory. */
  store?: Store
  /** The folder that the library's tools for files and processes work in. Without it, there are none. */
  workspace?: string | WorkspaceOptions
  /** True if the paths come from a project's file, which the program did not choose. */
  isProjects?: boolean
  /** The project's configuration of agents; what widens limits needs a trusted project. */
  projects?: ProjectConfiguration
  /** True if the running program is part of the project, and so has chosen it; absent until an agent is used. */
  isOwnProgram?: boolean
}

/** A tool's configuration, from the host. */
export interface ToolConfig {
  // Without `exactOptionalPropertyTypes`, programs may pass `undefined` for optional fields.
  [key: string]: JsonValue | undefined
  /** False hides the tool from agents. */
  enabled?: boolean
  /** Milliseconds after which its calls fail. */
  timeoutMs?: number
}

export interface UncheckedLimits {
  policy?: RuntimePolicy | undefined
  agents?: readonly NamedAgent[] | undefined
  config?: { tools?: Readonly<Record<string, ToolConfig>> } | undefined
}

/** The state of a runtime. Its calls share it. */
export interface Globals {
  config: RuntimeConfig
  cache: Cache
  /** Registered tools, by name or URI. They come before those from disk. */
  tools: { programmaticTools: RegisteredTools }
  /** The skills of remote path entries; absent without any. */
  remote?: RemoteSkills
  /** The configuration of each tool, by name. Not in `config`, which skills can read. */
  toolConfig?: Readonly<Record<string, ToolConfig>> | undefined
  /** The models that agents run on, by name. Not in `config`, which skills can read. */
  models?: Models | undefined
  /** The functions that take part in searches. */
  search?: SearchFunctions | undefined
  /** Checks the policy of a spawned agent at once; absent if its first call does. */
  checkSpawned?: (given: SpawnPolicy | string) => void
  /** The options of agents and tools, until they are checked. */
  unchecked?: unknown
  /** The state of each directory, by what its path entry says. */
  directories: Map<string, DirectoryState>
  /** The tools of a directory's names, by name, so that one tool is one object. */
  byName: WeakMap<DirectoryNames, Map<string, ToolDef>>
  /** Look-ups in progress, which concurrent calls share. */
  resolving: Map<string, Promise<Resolution>>
  /** Chains being resolved, which concurrent calls share, by the key of `cache.cascade`. */
  chains: Map<string, { tool: ToolDef; chain: Promise<Chain> }>
  /** The keys in `cache.tool` of names that were not found, oldest first. */
  missing: Set<string>
  /** The diagnostics so far, by file and rule. */
  diagnostics: Map<string, Diagnostic>
  stats: Stats
  /** The digest that a compiled cascade must have been made with, and the text that was digested. */
  cascadeKey?: { text: string; digest: string }
  /** The second half of cache keys, and the path entries that it was made from. */
  pathsKey?: PathsKey
  /** The listeners to events of calls. */
  events: RunEvents
  /** Reads the project's configuration; absent once that is done or if there is no project. */
  configure?: () => Promise<void>
  /** Removes secrets from messages, events and results; absent if there are none. */
  redact?: <Value>(value: Value) => Value
  /** Its turns and tools with hooks, once there are any. */
  lifecycle?: Lifecycle
  /** The code of the method that was called last, or the promise of it. */
  load?: unknown
  /** Functions that release the resources of a session other than tools' state; without an id, those of all sessions. */
  sessionEnds?: ((sessionId?: string) => Promise<void>)[]
  /** The runtime of a bundle, to which other copies of the package hand on calls. */
  bundle?: BundleRuntime
  closed?: true
  /** The view that agents get while the project is not trusted. */
  untrustedView?: Globals
  /** In that view, the state of its runtime. */
  own?: Globals
  /** True in that view: no code of the project runs, and the project affects no other tools. */
  isUntrusted?: true
  /** The compiler's reader, once it was needed; null if it is not installed. */
  parser?: Promise<DiskParser | null>
}

/** The methods of a bundle's runtime that other copies of the package call. */
export interface BundleRuntime {
  findTool: (ref: string) => Promise<ToolDef | null>
  listTools: () => Promise<ToolDef[]>
  invoke: (ref: string, args?: unknown, options?: InvokeOptions) => Promise<unknown>
  readResource: (ref: string, path: string) => Promise<Uint8Array>
}

/** Counts since the runtime was made. */
export interface Stats {
  /** Tools created, by source. */
  via: Record<Via, number>
  /** Cascades resolved at run time because they were not compiled or have changed. */
  cascadesComputed: number
  /** Look-ups that found nothing. */
  missing: number
  /** The compiler's reader of skill files. */
  parser: 'unused' | 'loaded' | 'absent'
}

/** The last key, and what it was made from. */
interface PathsKey {
  entries: PathEntry[]
  cwd: string | undefined
  key: string
  /** The version of the shared tools when the caches were filled. */
  shared: number | undefined
}

/** Tools by name or URI. */
export interface RegisteredTools extends Map<string, ToolDef> {
  /** The tools that are found after these: for a runtime, those of the process's default globals. */
  readonly shared?: RegisteredTools | undefined
  /** The number of changes so far. */
  readonly version: number
  set: (key: string, tool: ToolDef | SetTool) => this
}

/** A tool set by a program, such as a test double. Missing fields get defaults. */
export interface SetTool {
  name: string
  fn: (ctx: Context, args: unknown) => unknown
  /** Parsed (`params` at the top), or as written (`params` under `metadata`). */
  frontmatter?: Partial<ToolFrontmatter>
  src?: string | null
  module?: unknown
  /** The text that `content()` gives. */
  content?: string
}

/** Caches without expiry. `clearToolCache` and `clearAllCaches` clear them, and the runtime itself after a change. */
export interface Cache {
  /** The tools of references, by `reference\0paths`; null means "not found". Read only under `trust`. */
  tool: Map<string, ToolDef | null>
  /** Results of `listTools`, by paths. */
  list: Map<string, ToolDef[]>
  /** Skill files of a directory without an index, absolute, by `directory\0ignore patterns`. */
  dir: Map<string, string[]>
  /** The valid tools of files that were looked up by path, by absolute path. */
  file: Map<string, ToolDef[]>
  /** Each tool's authority, by its source or name. */
  authority: Map<string, ToolDef | null>
  /** The main skill that lies directly in a directory, by its absolute path. */
  mainInDir: Map<string, ToolDef | null>
  /** Each tool's cascade, by `name\0paths`. */
  cascade: Map<string, KnownCascade>
  /** The paths that `${…}` in the configuration of a tool's middleware reads, by `name\0paths`. */
  cascadeDeps: Map<string, readonly string[]>
  /** The names of each middleware's peers; null until needed. */
  cyclicPeers: Map<string, ReadonlySet<string>> | null
  /** The directories whose indexes filled `cyclicPeers`, absolute. */
  cyclicPeersSeededDirs: Set<string> | null
  /** The promotions for tools without a file; null until needed, and while a fault hides them. */
  promotions: Promotions | null
  /** The file of each name of a directory without an index, by the directory's absolute path. */
  nameIndex: Map<string, Map<string, string>>
}

/** The promotions of the main skill above tools without a file, by key. */
export interface Promotions {
  local: JsonObject
  global: JsonObject
}

/** The parts of a call that turns and hooks need. */
export interface ManagedCall {
  readonly tool: ToolDef
  readonly caller: unknown
  readonly run: { signal: AbortSignal }
  throwIfAborted: () => void
}

/**
 * A runtime's turns, tools with hooks, and inactive tools. Absent until there are any, so that other runtimes pay
 * nothing.
 */
export interface Lifecycle {
  /** Gives a host's call the signal of its turn. */
  enter: (call: ManagedCall) => void
  /** Throws TOOL_INACTIVE or INIT_FAILED for a tool that cannot be called now. Waits for pending deactivations. */
  admit: (tool: ToolDef) => Promise<void> | undefined
  /** False for a tool that must not be listed. */
  isAvailable: (tool: ToolDef) => boolean
  /** Runs a tool with hooks, once it is initialised. */
  run: (fn: object, call: ManagedCall, work: (instance: unknown) => Promise<unknown>) => Promise<unknown>
  /** Called when a tool was registered or unregistered. */
  forget: (name: string) => void
  /** Deactivates and disposes of all tools with hooks. */
  shutDown: () => Promise<void>
}
