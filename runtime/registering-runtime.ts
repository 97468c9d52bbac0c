import { withLine } from '../src/base/diagnostic.js'
import { AgentAppsError } from '../src/base/error.js'
import { checkOptions, type OptionTable } from '../src/base/options.js'
import { isRemoteEntry, type RemoteEntry, remoteEntryProblem } from '../src/release/remote-entry.js'
import type { PathEntry } from '../src/skill/path-entry.js'
import {
  createRuntime as createSlimRuntime,
  type RuntimeOptions as SlimOptions,
  type Runtime as SlimRuntime,
} from './create-runtime.js'
import { findGiven } from './find/require-tool.js'
import { checkAgent, checkLimits, checkSpawned } from './options/check-limits.js'
import { type RegisterFunction, register } from './registry/register.js'
import type { Globals } from './state/context.js'
import type { RemoteSkills } from './state/remote.js'
import type { SearchFunctions } from './state/search-functions.js'
import type { RegisteredTools } from './typed-tools.js'

/** The options of a runtime of the main entry, which may have remote path entries. */
export interface RuntimeOptions extends Omit<SlimOptions, 'paths'> {
  /**
   * Path entries, searched left to right, and then the remote ones. Default: the project's, as `compile` wrote them.
   */
  paths?: (PathEntry | RemoteEntry)[]
  /**
   * Functions that take part in each search: `embed` finds skills whose meaning is near that of the query, `rerank` puts the hits
   * in another order.
   */
  search?: SearchFunctions
}

const SEARCH: OptionTable<keyof SearchFunctions> = { embed: 'function', model: 'string', rerank: 'function' }

/** A runtime of the main entry, with `register`. */
export interface Runtime<Tools = RegisteredTools> extends SlimRuntime<Tools> {
  /**
   * Registers a tool with this runtime: a definition, a result of `defineTool`, or a function `(ctx, args)` with
   * options. Returns a function that unregisters it.
   */
  readonly register: RegisterFunction
}

/**
 * Creates a runtime over path entries, or without `paths` over a compiled project. Does no I/O before its first use, when
 * it reads the project's file.
 *
 * @throws OPTIONS_INVALID
 */
export function createRuntime<Tools = RegisteredTools>(options: RuntimeOptions = {}): Runtime<Tools> {
  const remote = remoteEntries(options)
  const search = searchFunctions(options)
  const runtime = createSlimRuntime<Tools>(
    remote.length === 0 && !search ? (options as SlimOptions) : slimOptions(options),
  )
  const { globals } = runtime
  globals.search = search
  if (remote.length > 0) globals.remote = laterSkills(remote, globals)
  checkLimits(globals)
  globals.checkSpawned = given => checkSpawned(given, globals)
  return {
    ...runtime,
    ...(globals.remote && { findTool: (ref: string) => findGiven(ref, globals) }),
    forAgent: agent => {
      checkAgent(agent ?? {}, globals)
      return runtime.forAgent(agent)
    },
    diagnostics: () => runtime.diagnostics().map(withLine),
    register: (tool: Parameters<typeof register>[1], more = {}) => register(globals, tool, more),
  }
}

/**
 * The remote ones among the path entries of some options. Untyped programs may pass anything.
 *
 * @throws OPTIONS_INVALID
 */
function remoteEntries(options: RuntimeOptions): RemoteEntry[] {
  const { paths } = Object(options) as RuntimeOptions
  const entries = Array.isArray(paths) ? paths.filter(isRemoteEntry).map(entry => ({ ...entry })) : []
  for (const entry of entries) {
    const { problem, hint } = remoteEntryProblem(entry) ?? {}
    if (problem !== undefined && hint !== undefined)
      throw new AgentAppsError('OPTIONS_INVALID', `A remote entry of the option \`paths\` ${problem}.`, {
        hint,
      })
  }
  return entries
}

/** @throws OPTIONS_INVALID */
function searchFunctions(options: RuntimeOptions): SearchFunctions | undefined {
  const { search } = Object(options) as RuntimeOptions
  if (search !== undefined) checkOptions('search', search, SEARCH)
  return search
}

function slimOptions({ search: _, paths, ...options }: RuntimeOptions): SlimOptions {
  const local = Array.isArray(paths) ? paths.filter(entry => !isRemoteEntry(entry)) : paths
  return { ...options, ...(paths !== undefined && { paths: local as PathEntry[] }) }
}

/** Loads what reads remote entries when it is first needed. */
function laterSkills(entries: readonly RemoteEntry[], globals: Globals): RemoteSkills {
  let loaded: Promise<RemoteSkills> | undefined
  const skills = (): Promise<RemoteSkills> => {
    loaded ??= import('./remote/remote-skills.js').then(({ remoteSkills }) => remoteSkills(entries, globals))
    return loaded
  }
  return {
    find: async name => (await skills()).find(name),
    list: async isOnly => (await skills()).list(isOnly),
    searches: async () => (await skills()).searches(),
  }
}
