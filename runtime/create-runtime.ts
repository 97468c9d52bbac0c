import { definedFields } from '../src/base/defined-fields.js'
import type { Diagnostic } from '../src/base/diagnostic.js'
import { checkOptions, type OptionTable } from '../src/base/options.js'
import type { ToolDetails } from '../src/index/index-format.js'
import type { PathEntry } from '../src/skill/path-entry.js'
import { invoke } from './call/invoke.js'
import { checkPolicy, ownOptions, ownPolicy } from './call/own-options.js'
import type { Explanation } from './cascade/explain.js'
import { findTool } from './find/find-tool.js'
import { lazy } from './host/later.js'
import { listTools } from './list-tools.js'
import { readResource } from './read-resource.js'
import { cloneArguments } from './schema/clone-arguments.js'
import type { AgentPolicy, Freshness, Globals, InvokeOptions, Stats } from './state/context.js'
import { createGlobals } from './state/globals.js'
import type { ToolDef } from './state/tool-def.js'

/** The options of a runtime. Any other key is OPTIONS_INVALID. */
export interface RuntimeOptions {
  /** Where skills lie, searched left to right. */
  paths: PathEntry[]
  /** The directory that relative paths start from. Default: the process's working directory. */
  cwd?: string
  /** Default: `trust` where NODE_ENV is `production`, else `check`. */
  freshness?: Freshness
  /** Whether the skills that the package ships are searched after all others. Default: true. */
  library?: boolean
  /**
   * Whether modules, content and resources are compared with the index's digests before they are used, and
   * nothing is read that no index vouches for. It implies `trust`. Default: false.
   */
  verify?: boolean
  /**
   * Packages that code which was not compiled finds at run time, instead of having them bundled: the
   * configuration's.
   */
  external?: readonly string[]
  /**
   * Whether code of the skills is run. Where it is not, metadata that only running code can give is missing,
   * and a call of code throws NOT_EVALUATED. Default: true.
   */
  evaluate?: boolean
  /** How many calls may stand inside each other. Default: 64. */
  maxDepth?: number
  /** Variables of the environment that `${env.…}` in metadata and content may name. Default: none. */
  env?: readonly string[]
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
}

/** Skills, ready to be found and run. */
export interface Runtime {
  readonly globals: Globals
  /** The tool that a reference names; null where there is none. */
  findTool: (ref: string) => Promise<ToolDef | null>
  listTools: () => Promise<ToolDef[]>
  /** Runs a tool; a Markdown skill gives its content. */
  invoke: (ref: string, args?: unknown, options?: InvokeOptions) => Promise<unknown>
  /**
   * A Markdown skill's content with its directives run, also where a delegate runs in its stead. Arguments
   * are compared with `params`; no middleware runs. Throws CONTENT_MISSING for code.
   */
  render: (ref: string, options?: { args?: unknown }) => Promise<string>
  /** The bytes of one of a folder skill's files. */
  readResource: (ref: string, path: string) => Promise<Uint8Array>
  /**
   * A tool with the author's frontmatter as it was written, and the skill's other files with size and digest.
   */
  describe: (ref: string) => Promise<{ tool: ToolDef } & Required<ToolDetails>>
  /** Where each of a tool's effective metadata came from, and what runs around it. */
  explain: (ref: string) => Promise<Explanation>
  /** The runtime as a model uses it: every call is checked against a policy. */
  forAgent: (policy?: AgentPolicy) => AgentRuntime
  /** The faults found so far: broken skills that were asked for, indexes that were refused or stale. */
  diagnostics: () => Diagnostic[]
  /** How tools were resolved: a count under `via.disk` says that something was not compiled. */
  stats: () => Stats
  /**
   * Runs `work` as one turn: under `check`, all that is looked up in it sees the files as they were when they
   * were first looked at. Turns inside of a turn are part of it.
   */
  turn: <Result>(work: () => Result | Promise<Result>) => Promise<Result>
  /** Lets go of everything that the runtime holds. What is asked of it from then on throws RUNTIME_CLOSED. */
  close: () => Promise<void>
}

/** A runtime for an agent: it sees no hidden and no disabled tool, and every call is checked. */
export interface AgentRuntime {
  /** The tool that a name leads to; null where the agent may call none of that name. */
  findTool: (ref: string) => Promise<ToolDef | null>
  /** The tools that it may call, as far as they have a description. */
  listTools: () => Promise<ToolDef[]>
  /** Runs a tool. Throws TOOL_DENIED where it may not be called. */
  invoke: (ref: string, args?: unknown, options?: Omit<InvokeOptions, 'as' | 'policy'>) => Promise<unknown>
}

const rendering = lazy(() => import('./content/render-tool.js'))
const details = lazy(() => import('./find/read-details.js'))
const cascades = lazy(() => import('./cascade/cascade-on-demand.js'))
const lifetime = lazy(() => import('./lifetime.js'))
const agents = lazy(() => import('./call/agent-calls.js'))

/**
 * A runtime over some path entries. Does no I/O before its first use.
 *
 * @throws OPTIONS_INVALID
 */
export function createRuntime(options: RuntimeOptions): Runtime {
  // `paths` may not be left out.
  const given = { ...options, paths: options?.paths ?? null }
  checkOptions('createRuntime', given, given.verify ? { ...OPTIONS, freshness: ['trust'] } : OPTIONS)
  const globals = createGlobals({ ...definedFields(options), paths: [...options.paths] })
  return {
    globals,
    findTool: ref => findTool(ref, globals),
    listTools: () => listTools(globals),
    invoke: (ref, args, options) => invoke(ref, args, globals, options),
    render: async (ref, options) => {
      const own = options && { ...options, args: cloneArguments(options.args) }
      return (await rendering()).render(ref, own, globals)
    },
    readResource: (ref, path) => readResource(ref, path, globals),
    describe: async ref => (await details()).describe(ref, globals),
    explain: async ref => (await cascades()).explain(ref, globals),
    forAgent: (policy = {}) => {
      const own = ownPolicy(policy)
      checkPolicy('forAgent', own)
      return {
        findTool: async ref => (await agents()).findForAgent(ref, globals, own),
        listTools: async () => (await agents()).listForAgent(globals, own),
        invoke: (ref, args, options) =>
          invoke(ref, args, globals, { ...ownOptions(options), as: 'agent', policy: own }),
      }
    },
    diagnostics: () => [...globals.diagnostics.values()],
    stats: () => ({ ...globals.stats, via: { ...globals.stats.via } }),
    turn: async work => (await lifetime()).turn(work, globals),
    close: async () => (await lifetime()).close(globals),
  }
}
