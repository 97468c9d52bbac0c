import type { Diagnostic } from '../src/base/diagnostic.js'
import { definedFields } from '../src/base/json.js'
import { checkOptions, type OptionTable } from '../src/base/options.js'
import type { ToolDetails } from '../src/index/index-format.js'
import type { Models } from '../src/own/models.js'
import type { PathEntry } from '../src/skill/path-entry.js'
import { type AgentRuntime, agentRuntime } from './call/agent-runtime.js'
import { invoke, laterMethods } from './call/invoke.js'
import type { Explanation } from './cascade/explain.js'
import type { RenderOptions } from './content/render-tool.js'
import { findTool } from './find/find-tool.js'
import { lazy } from './host/later.js'
import type { ToolState } from './lifecycle/tool-states.js'
import type { TurnOptions } from './lifetime.js'
import { listTools, readResource } from './read-skills.js'
import { cloneArguments, ownLimits } from './schema/clone-arguments.js'
import type { SearchOptions } from './search/search-query.js'
import type { AgentOptions } from './state/agent.js'
import type {
  Freshness,
  Globals,
  InvokeOptions,
  Stats,
  ToolConfig,
  UncheckedLimits,
  WorkspaceOptions,
} from './state/context.js'
import { createGlobals, defaultTools, RegisteredToolMap } from './state/globals.js'
import type { Interact, NamedAgent, ProjectConfiguration, RuntimePolicy } from './state/policy.js'
import type { Hit } from './state/search-functions.js'
import type { Store } from './state/store.js'
import type { ToolDef } from './state/tool-def.js'
import type { CallArguments, RegisteredTools, ToolRef, ToolReturn } from './typed-tools.js'

/** The options of a runtime. Any other key is OPTIONS_INVALID. */
export interface RuntimeOptions {
  /** Path entries, searched left to right. Default: the project's, as `compile` wrote them. */
  paths?: PathEntry[]
  /**
   * The folder of the compiled configuration, `import.meta.dirname` if it is beside this code; or the `project` that
   * `loadConfig` returned, beside its `paths`. Other options override it. Default: without `paths`, the working
   * directory.
   */
  project?: string | ProjectConfiguration
  /** Agents that `forAgent` knows by their ids. */
  agents?: readonly NamedAgent[]
  /** The directory that relative paths start from. Default: the process's working directory. */
  cwd?: string
  /** Default: `trust` if NODE_ENV is `production`, else `check`. */
  freshness?: Freshness
  /** True: the package's own skills are searched after all others. Default: true. */
  library?: boolean
  /**
   * True: modules, content and resources are compared with the index's digests before they are used, and
   * nothing else is read. It implies `trust`. Default: false.
   */
  verify?: boolean
  /**
   * Packages that uncompiled code imports at run time instead of having them bundled: those of the configuration.
   */
  external?: readonly string[]
  /**
   * False: no code of skills runs. Metadata that only running code tells is missing, and calls of code throw
   * NOT_EVALUATED. Default: true.
   */
  evaluate?: boolean
  /** The deepest nesting of calls. Default: 64. */
  maxDepth?: number
  /** Environment variables that `${env.…}` in metadata and content may read. Default: none. */
  env?: readonly string[]
  /** The configuration of tools, by name: what their `config` allows, `enabled` and `timeoutMs`. */
  config?: { tools?: Readonly<Record<string, ToolConfig>> }
  /**
   * Keeps the state of sessions, so that another process can go on with one, and requests for approval that are
   * answered elsewhere. Default: memory.
   */
  store?: Store
  /** The limits of agents. Default: they may call tools that require no permission and are not gated. */
  policy?: RuntimePolicy
  /** Asks a person whether an agent's call may run. Without it, calls that need approval are denied. */
  interact?: Interact
  /** The time a person has to answer, in milliseconds. Default: 5 minutes. */
  interactTimeoutMs?: number
  /** True lets several questions for one session and user wait for answers at the same time. Default: false. */
  interactParallel?: boolean
  /** The models that agents run on: language models of the AI SDK, `default` among them. Default: none. */
  models?: Models
  /**
   * The folder that the library's tools for files and processes work in, or that and what else they may read
   * and write. Without it, there are no such tools.
   */
  workspace?: string | WorkspaceOptions
}

const OPTIONS: OptionTable<keyof RuntimeOptions> = {
  paths: 'paths',
  cwd: 'string',
  freshness: ['trust', 'check'],
  library: 'boolean',
  verify: 'boolean',
  external: 'strings',
  evaluate: 'boolean',
  maxDepth: 'number',
  env: 'strings',
  project: 'named',
  agents: 'objects',
  config: 'object',
  store: 'object',
  policy: 'object',
  models: 'object',
  interact: 'function',
  interactTimeoutMs: 'number',
  interactParallel: 'boolean',
  workspace: 'named',
}

/**
 * Skills, ready to be found and run. `Tools` are their types; names are checked where they are literal.
 */
export interface Runtime<Tools = RegisteredTools> {
  /** The state of the runtime, for the functions that take it. */
  readonly globals: Globals
  /** Finds the tool of a reference; null if there is none. */
  findTool: <Ref extends string>(ref: ToolRef<Tools, Ref>) => Promise<ToolDef | null>
  /** Lists the tools, each name once, as it resolves. */
  listTools: () => Promise<ToolDef[]>
  /** Runs a tool; a Markdown skill gives its content. */
  invoke: <Ref extends string>(
    ref: ToolRef<Tools, Ref>,
    ...call: CallArguments<Tools, Ref>
  ) => Promise<ToolReturn<Tools, Ref>>
  /**
   * Renders a Markdown skill's content, running its directives, even if a delegate runs when it is called. Arguments
   * are validated by `params`; no middleware runs. With a `host`, that host's variables and arguments are filled in,
   * too, and `args` may be a string or an array. Throws CONTENT_MISSING for code.
   */
  render: <Ref extends string>(ref: ToolRef<Tools, Ref>, options?: RenderOptions) => Promise<string>
  /** Reads one of a folder skill's files. */
  readResource: <Ref extends string>(ref: ToolRef<Tools, Ref>, path: string) => Promise<Uint8Array>
  /**
   * Describes a tool: the author's frontmatter as written, the skill's other files with size and digest, and the
   * placeholders of other hosts in its content.
   */
  describe: <Ref extends string>(
    ref: ToolRef<Tools, Ref>,
  ) => Promise<{ tool: ToolDef } & Required<ToolDetails>>
  /** Explains the source of each effective value of a tool's metadata, and the chain around it. */
  explain: <Ref extends string>(ref: ToolRef<Tools, Ref>) => Promise<Explanation>
  /**
   * Finds tools by words, the best first: of those that `listTools` gives, by their names, tags, descriptions and
   * texts. An empty query finds all. Throws OPTIONS_INVALID.
   */
  search: (query: string, options?: SearchOptions) => Promise<Hit[]>
  /** Lists every tool as a user is shown it: its source, what it shadows, and its state. */
  tools: () => Promise<ToolState[]>
  /**
   * The runtime for a model: every call is checked against a policy. A string is the id of one of the `agents`. If only
   * the project's configuration may define it, the methods throw AGENT_UNKNOWN.
   *
   * @throws AGENT_UNKNOWN
   */
  forAgent: (agent?: AgentOptions | string) => AgentRuntime
  /** The faults found so far: broken skills that were asked for, indexes that were refused or stale. */
  diagnostics: () => Diagnostic[]
  /** How tools were resolved: a count under `via.disk` says that something was not compiled. */
  stats: () => Stats
  /**
   * Runs `work` as one turn: under `check`, its look-ups see each file as it was at the first look. Nested turns join
   * the outer one.
   */
  turn: <Result>(work: () => Result | Promise<Result>, options?: TurnOptions) => Promise<Result>
  /** Initialises all tools with hooks. One that fails is left out, and `diagnostics()` reports it. */
  start: () => Promise<void>
  /** Makes a tool available again after it was deactivated or its initialisation failed. */
  activate: <Ref extends string>(ref: ToolRef<Tools, Ref>) => Promise<void>
  /** Refuses new calls of a tool with TOOL_INACTIVE. If it has hooks, waits for its running calls. */
  deactivate: <Ref extends string>(ref: ToolRef<Tools, Ref>) => Promise<void>
  /**
   * Looks at all skills again, between turns. Running calls end on the code that they began with. Called in a turn, it
   * runs after that, and `pending` is true.
   */
  reload: () => Promise<{ pending: boolean }>
  /** Ends a session: removes its state from memory and the store. */
  endSession: (sessionId: string) => Promise<void>
  /**
   * Closes the runtime: waits for calls of tools with hooks, then disposes of these tools. Later calls throw
   * RUNTIME_CLOSED.
   */
  close: () => Promise<void>
}

const methods = lazy(() => import('./runtime-methods.js'))
const searches = lazy(() => import('./search/search-all.js'))

/** The methods whose code is loaded when they are called. */
const LATER = [
  'render',
  'describe',
  'explain',
  'tools',
  'turn',
  'endSession',
  'start',
  'activate',
  'deactivate',
  'reload',
  'close',
] as const
type LaterMethods<Tools> = Pick<Runtime<Tools>, (typeof LATER)[number]>

/**
 * Creates a runtime over path entries, or without `paths` over a compiled project. Does no I/O before its first use, when
 * it reads the project's file.
 *
 * @throws OPTIONS_INVALID
 */
export function createRuntime<Tools = RegisteredTools>(options: RuntimeOptions = {}): Runtime<Tools> {
  checkOptions('createRuntime', options, options?.verify ? { ...OPTIONS, freshness: ['trust'] } : OPTIONS)
  const { paths, policy, config, agents, models, ...rest } = options
  const limits = {
    policy: ownLimits(policy),
    config: cloneArguments(config),
    agents: cloneArguments(agents),
  } as UncheckedLimits
  const own = { ...rest, paths: paths && [...paths], policy: limits.policy, agents: limits.agents }
  const globals = createGlobals(definedFields(own), new RegisteredToolMap(defaultTools()))
  globals.unchecked = limits
  globals.toolConfig = limits.config?.tools
  globals.models = models
  return {
    globals,
    findTool: ref => findTool(ref, globals),
    listTools: () => listTools(globals),
    // Only the caller knows its type.
    invoke: (ref, args?: unknown, options?: InvokeOptions) =>
      invoke(ref, args, globals, options) as Promise<never>,
    readResource: (ref, path) => readResource(ref, path, globals),
    forAgent: agent => agentRuntime(globals, agent),
    diagnostics: () => [...globals.diagnostics.values()],
    stats: () => ({ ...globals.stats, via: { ...globals.stats.via } }),
    ...(laterMethods(globals, LATER, () => (globals.load = methods())) as LaterMethods<Tools>),
    // A process that only searches needs little else.
    ...(laterMethods(globals, ['search'], searches) as Pick<Runtime<Tools>, 'search'>),
  }
}
