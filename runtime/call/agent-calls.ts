import { AgentAppsError, isAgentAppsError } from '../../src/base/error.js'
import { definedFields, type JsonValue } from '../../src/base/json.js'
import { isLibrary, isOffered, isThere, matchedTool } from '../../src/catalog/offered-tool.js'
import { hasRequiredTools } from '../../src/catalog/required-tools.js'
import { isName, namespaceOf } from '../../src/skill/names.js'
import { toolBroken } from '../../src/skill/skill-faults.js'
import { unmetVersion } from '../cascade/cascade-faults.js'
import { chainOf } from '../cascade/chain-of.js'
import { allTools } from '../find/all-tools.js'
import type { OpenedSkill } from '../find/read-details.js'
import { requireTool, resolveGiven } from '../find/require-tool.js'
import { plainSourceOf } from '../find/tool-list.js'
import { lazy } from '../host/later.js'
import { type AgentLimits, agentLimits } from '../policy/agent-limits.js'
import { allowedAmong, authorize, limitPart } from '../policy/authorize.js'
import { guardsOf, isEnabled } from '../policy/guards-of.js'
import { noteOpened } from '../policy/opened-skills.js'
import { checkArguments, copyOfPlain, plainArguments } from '../schema/check-arguments.js'
import type { SearchOptions, SearchResult } from '../search/search-query.js'
import type { Chain } from '../state/chain.js'
import type { CallerKind, Globals, InvokeOptions } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { type AgentView, agentView, callView } from '../trust/agent-view.js'
import { invokeFor } from './call-tool.js'
import { callGlobals } from './invoke-options.js'
import { invocationOf, RunContext } from './run-context.js'

export { copyOfPlain, plainArguments }

/** The tools of a view that an agent may call, without those whose every call fails. */
export async function callableAmong(
  tools: readonly ToolDef[],
  { globals, shown }: AgentView,
  limits: AgentLimits,
): Promise<ToolDef[]> {
  const offered = tools.filter(
    tool =>
      isEnabled(tool, globals) &&
      (plainSourceOf(tool) !== null ||
        (isOffered(tool) &&
          !lacksModel(tool, globals) &&
          guardsOf(tool).faults.length === 0 &&
          !unmetVersion(tool))),
  )
  return allowedAmong(await shown(offered), globals, limits)
}

/** True for the library's tool `agent` in a runtime without models. */
export function lacksModel(tool: ToolDef, { models }: Globals): boolean {
  return models === undefined && tool.name === 'agent' && isLibrary(tool)
}

/** Leaves out tools that require one that is missing. */
export function withRequired(tools: ToolDef[]): ToolDef[] {
  if (!tools.some(tool => plainSourceOf(tool) === null && requiredBy(tool) !== undefined)) return tools
  const there = tools.map(matchedTool)
  return tools.filter(tool => hasRequiredTools(requiredBy(tool), there))
}

function requiredBy({ frontmatter }: ToolDef): JsonValue | undefined {
  return frontmatter.metadata['requires-tools']
}

/** The tools that a context may call: for an agent, those that it is shown. */
export async function toolsFrom(ctx: RunContext, as: CallerKind): Promise<ToolDef[]> {
  const own = callGlobals(ctx)
  if (as !== 'agent') return allTools(own)
  const view = await agentView(own)
  const { globals } = view
  return withRequired(await callableAmong(await allTools(globals), view, agentLimits(globals, ctx)))
}

/** Searches the tools that may be called from a context. */
export async function searchFrom(
  ctx: RunContext,
  query: string,
  options: SearchOptions,
  as: CallerKind,
): Promise<SearchResult> {
  const own = callGlobals(ctx)
  if (as !== 'agent') return (await allSearches()).searchAll(query, options, own)
  const { globals } = await agentView(own)
  const all = await allTools(globals)
  const known = await toolsFrom(ctx, as)
  const { searchTools } = await searches()
  return searchTools(query, options, { globals, all, known, limits: agentLimits(globals, ctx) })
}

/**
 * Finds a tool for a context.
 *
 * @param opens true if its text or files are read, for which an agent's call is authorized
 * @throws TOOL_NOT_FOUND, TOOL_BROKEN
 */
export async function toolFrom(
  ctx: RunContext,
  ref: string,
  as: CallerKind,
  opens: boolean,
): Promise<ToolDef> {
  const globals = callGlobals(ctx)
  const namespace = namespaceOf(ctx.tool.name)
  if (as !== 'agent') return requireTool(ref, globals, namespace)
  const tool = await requireKnown(ref, globals, agentLimits(globals, ctx), namespace)
  const { options = {}, caller } = invocationOf(ctx)
  if (opens) await authorizeOpening(tool, globals, options, caller)
  return tool
}

/**
 * Authorizes an agent to read a skill's text or files, as for a call without arguments. A tool that runs something needs
 * no approval for that.
 *
 * @throws TOOL_DENIED, PERMISSION_MISSING, APPROVAL_DENIED, APPROVAL_UNAVAILABLE
 */
export async function authorizeOpening(
  tool: ToolDef,
  globals: Globals,
  options: InvokeOptions,
  caller: RunContext | undefined,
): Promise<void> {
  const ctx = new RunContext(globals, tool, invokeFor, caller, options)
  const chain = await chainOf(tool, globals)
  ctx.chain = chain
  if (!isText(tool, chain)) return
  ctx.takeArguments(await argumentsToOpen(tool, chain, ctx))
  await authorize(ctx)
}

/**
 * Authorizes a tool that runs instead of one of another path entry, as for a call of it by the agent above. Does nothing
 * without an agent above.
 *
 * @param ctx the call of the other tool
 * @throws TOOL_DENIED, PERMISSION_MISSING, APPROVAL_DENIED, APPROVAL_UNAVAILABLE, ARGS_INVALID
 */
export async function authorizeInPlace(tool: ToolDef, args: unknown, ctx: RunContext): Promise<void> {
  let above: RunContext | undefined = invocationOf(ctx)
  while (above && above.options?.as !== 'agent') above = above.caller && invocationOf(above.caller)
  if (!above) return
  const { globals } = ctx
  const call = new RunContext(globals, tool, invokeFor, above.caller, above.options)
  const chain = await chainOf(tool, globals)
  call.chain = chain
  call.takeArguments(await checkArguments(tool, chain, copyOfPlain(plainArguments(tool, args)), call))
  await authorize(call, true)
}

/** Authorizes an inherited delegate, which may be of another path entry. */
export async function limitBody(body: ToolDef, ctx: RunContext): Promise<void> {
  limitPart(body, ctx)
  if (body.origin.entry !== ctx.tool.origin.entry) await authorizeInPlace(body, ctx.args, ctx)
}

/** The default arguments; an empty object if some are required. */
async function argumentsToOpen(tool: ToolDef, chain: Chain, ctx: RunContext): Promise<unknown> {
  try {
    return await checkArguments(tool, chain, plainArguments(tool, undefined), ctx)
  } catch (error) {
    if (isAgentAppsError(error) && error.code === 'ARGS_INVALID') return {}
    throw error
  }
}

/** Finds a tool that an agent may call. Throws TOOL_NOT_FOUND, TOOL_BROKEN, TOOL_DENIED. */
export async function requireAllowed(
  ref: string,
  globals: Globals,
  limits: AgentLimits,
  namespace: string,
): Promise<ToolDef> {
  const tool = await requireForAgent(ref, globals, namespace)
  const [allowed] = await allowedAmong([tool], globals, limits)
  if (!allowed) throw unknownToAgent(ref)
  return allowed
}

/**
 * Finds a tool that an agent may call, with its schema.
 *
 * @throws what `requireAllowed` throws; NOT_EVALUATED if only code that may not run has the schema
 */
export async function requireKnown(...call: Parameters<typeof requireAllowed>): Promise<ToolDef> {
  const tool = await requireAllowed(...call)
  if (tool.frontmatter.paramsUnknown) throw (await evaluation()).notEvaluated(tool.name)
  return tool
}

/** Finds a tool that an agent may call, or null. */
export async function findForAgent(
  ref: string,
  own: Globals,
  limits: AgentLimits,
  namespace: string,
): Promise<ToolDef | null> {
  const { globals, shown } = await agentView(own)
  const tool = isForAgents(ref, globals) ? (await resolveGiven(ref, globals, namespace))?.tool : undefined
  const [allowed] = tool ? await allowedAmong(await shown([tool]), globals, limits) : []
  return allowed ?? null
}

/** Finds the tool that an agent names. Throws TOOL_NOT_FOUND also for a hidden tool. */
export async function requireForAgent(ref: string, globals: Globals, namespace = ''): Promise<ToolDef> {
  return requireInView(ref, await agentView(globals), namespace)
}

async function requireInView(
  ref: string,
  { globals, shown, hint }: AgentView,
  namespace: string,
): Promise<ToolDef> {
  if (!isForAgents(ref, globals)) {
    // A model may give anything.
    const given = typeof ref === 'string' ? ref : typeof ref
    throw denied(given, `An agent calls a tool by its name, not by ${JSON.stringify(given)}.`)
  }
  const resolution = await resolveGiven(ref, globals, namespace)
  if (resolution?.broken) throw toolBroken(ref, resolution.broken)
  const found = resolution?.tool
  if (!found || !isThere(found) || !isEnabled(found, globals)) throw unknownToAgent(ref)
  const [tool] = await shown([found])
  if (tool) return tool
  throw unknownToAgent(ref, hint)
}

/**
 * Finds the tool that an agent calls, and the runtime or view that the call is made in, after asking a person about the
 * tool's project if necessary.
 */
export async function toolForCall(
  ref: string,
  own: Globals,
  namespace: string,
  options: InvokeOptions,
  caller: RunContext | undefined,
): Promise<{ tool: ToolDef; globals: Globals }> {
  const find = async (globals: Globals): Promise<ToolDef | undefined> =>
    isForAgents(ref, globals) ? (await resolveGiven(ref, globals, namespace))?.tool : undefined
  const ids = { ...definedFields({ ...caller?.envelope }), ...definedFields({ ...options }) }
  const view = await callView(own, find, { ids, signal: options.signal ?? caller?.abort })
  if (typeof view === 'string') throw unknownToAgent(ref, view)
  return { globals: view.globals, tool: await requireInView(ref, view, namespace) }
}

const LISTED = 'Call one of the tools that are listed.'

/** The error for a tool that does not exist or is hidden from this agent. It must not reveal which. */
function unknownToAgent(ref: string, hint = LISTED): AgentAppsError {
  return new AgentAppsError('TOOL_NOT_FOUND', `There is no tool ${JSON.stringify(ref)}.`, {
    hint,
    modelHint: LISTED,
    tool: ref,
  })
}

const evaluation = lazy(() => import('../directory/not-evaluated.js'))
const searches = lazy(() => import('../search/search-tools.js'))
const allSearches = lazy(() => import('../search/search-all.js'))
const opening = lazy(() => import('../find/read-details.js'))

/** The result for an agent: an opened skill includes its folder and files. */
export async function resultForAgent(
  ctx: RunContext,
  chain: Chain,
  result: unknown,
): Promise<unknown | OpenedSkill> {
  const { tool, globals } = ctx
  if (isText(tool, chain)) noteOpened(ctx)
  const shown = globals.redact?.(result) ?? result
  if (tool.kind !== 'folder' || !isText(tool, chain) || typeof shown !== 'string') return shown
  return (await opening()).openSkill(tool, shown, globals)
}

/** True for a skill whose text is its result: neither code nor a model runs for it. */
export function isText({ kind, frontmatter }: ToolDef, { body }: Chain): boolean {
  const { delegate = null, agent } = frontmatter.metadata
  return kind !== 'code' && body === undefined && delegate === null && !agent
}

/** True for names and servers' URIs: an agent may not give paths or inline code. */
function isForAgents(ref: string, { tools: { programmaticTools } }: Globals): boolean {
  if (typeof ref !== 'string') return false
  return isName(ref) || ref.startsWith('mcp://') || (programmaticTools.has(ref) && !/[/\\:]/.test(ref))
}

function denied(tool: string, message: string): AgentAppsError {
  return new AgentAppsError('TOOL_DENIED', message, {
    hint: 'Call one of the tools that are listed, or let its skill or policy allow this one.',
    modelHint: LISTED,
    tool,
  })
}
