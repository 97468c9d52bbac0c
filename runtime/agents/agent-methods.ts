import { AgentAppsError } from '../../src/base/error.js'
import { definedFields, type JsonObject } from '../../src/base/json.js'
import { haveSameItems } from '../../src/base/same-items.js'
import type { AgentCatalog, AgentCatalogOptions } from '../../src/catalog/relevant-skills.js'
import { asText } from '../../src/content/interpolate.js'
import type { ToolDetails } from '../../src/index/index-format.js'
import { narrowingRules } from '../../src/policy/configured-policy.js'
import { namespaceOf } from '../../src/skill/names.js'
import type { SpawnPolicy } from '../../src/skill/tool-context.js'
import type { IdentifiedCall } from '../approvals/pending-call.js'
import { answerRequest, refused } from '../approvals/waiting-request.js'
import {
  authorizeOpening,
  callableAmong,
  findForAgent,
  isText,
  requireAllowed,
  requireKnown,
  toolForCall,
  withRequired,
} from '../call/agent-calls.js'
import { callTool, invokeFor } from '../call/call-tool.js'
import { callToAnswer, decideCall } from '../call/decide-call.js'
import { callGlobals } from '../call/invoke-options.js'
import { RunContext } from '../call/run-context.js'
import { chainOf } from '../cascade/chain-of.js'
import { runMarkdown } from '../content/load-function.js'
import { directoryStates } from '../directory/look-up.js'
import { listedTools } from '../find/all-tools.js'
import { withOwnFields } from '../find/make-tool.js'
import { type OpenedSkill, openSkill } from '../find/read-details.js'
import { nameGiven, requireGiven } from '../find/require-tool.js'
import { plainSourceOf } from '../find/tool-list.js'
import { lazy } from '../host/later.js'
import { checkAgent, checkSpawned } from '../options/check-limits.js'
import { type AgentLimits, agentLimits } from '../policy/agent-limits.js'
import { noteOpened } from '../policy/opened-skills.js'
import type { SearchOptions } from '../search/search-query.js'
import { type Agent, agentUnknown, idIn, idsOf, keepAbove } from '../state/agent.js'
import type { AnswerOptions, CallIds, Globals, InvokeOptions, RuntimeConfig } from '../state/context.js'
import type { AgentPolicy, Authorization, NamedAgent, Offer } from '../state/policy.js'
import type { Hit } from '../state/search-functions.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'
import { type AgentView, agentView } from '../trust/agent-view.js'
import { trustOf } from '../trust/project-trust.js'

/** The methods of `AgentRuntime`: each takes the agent, then the host's arguments. */

const offers = lazy(() => import('./offer.js'))
const details = lazy(() => import('../find/read-details.js'))
const searches = lazy(() => import('../search/search-tools.js'))
const catalogs = lazy(() => import('./agent-catalog.js'))

/** The calls of an agent: their view, options and limits. */
interface Calls {
  view: AgentView
  globals: Globals
  options: InvokeOptions
  caller: RunContext | undefined
  /** The policies that it was spawned with, including those of named agents. */
  spawned: readonly AgentPolicy[]
  /** The skills that it calls for. */
  skills: readonly ToolDef[]
  limits: () => AgentLimits
  /** The caller's namespace, in which names are looked up first. */
  namespace: string
}

export async function findTool(agent: Agent, ref: string): Promise<ToolDef | null> {
  const { globals, limits, namespace } = await callsOf(agent)
  return findForAgent(ref, globals, limits(), namespace)
}

export async function listTools(agent: Agent): Promise<ToolDef[]> {
  return withRequired((await listsOf(agent, true)).callable).map(withOwnFields)
}

/** All tools, and those that an agent may call. */
async function listsOf(
  agent: Agent,
  isAsked = false,
): Promise<{ calls: Calls; all: readonly ToolDef[]; callable: ToolDef[] }> {
  const calls = await callsOf(agent)
  const { view, limits, skills, options, spawned } = calls
  const { globals } = view
  const all = await listedTools(globals, isAsked)
  const policies = [options.policy, ...spawned]
  const callable = await keptList({ ...agent, globals }, policies, skills, all, () =>
    callableAmong(all, view, limits()),
  )
  return { calls, all, callable }
}

export async function offer(agent: Agent): Promise<Offer> {
  const { calls, all, callable } = await listsOf(agent)
  return (await offers()).offerOf(
    all.map(withOwnFields),
    callable.map(withOwnFields),
    calls.view,
    calls.limits(),
  )
}

export async function search(agent: Agent, query: string, options?: SearchOptions): Promise<Hit[]> {
  const { calls, all, callable } = await listsOf(agent)
  const { globals } = calls.view
  const searchable = { globals, all, known: usableAmong(callable), limits: calls.limits() }
  return (await (await searches()).searchTools(query, options, searchable)).hits
}

const usable = new WeakMap<readonly ToolDef[], readonly ToolDef[]>()

/** Those that lack no tool that they require; of one list always the same array, by which is seen that it is the same. */
function usableAmong(callable: ToolDef[]): readonly ToolDef[] {
  const known = usable.get(callable) ?? withRequired(callable)
  usable.set(callable, known)
  return known
}

export async function invoke(
  agent: Agent,
  ref: string,
  args: unknown,
  options?: InvokeOptions,
): Promise<unknown> {
  const calls = await callsOf(agent, options, true)
  const { globals } = calls
  return callTool(await nameGiven(ref, globals, calls.namespace), args, globals, calls.options, calls.caller)
}

export async function open(
  agent: Agent,
  ref: string,
  args: unknown,
  options?: InvokeOptions,
): Promise<OpenedSkill> {
  const calls = await callsOf(agent, options, true)
  const { globals } = calls
  const name = await nameGiven(ref, globals, calls.namespace)
  return openForAgent(name, args, globals, calls.options, calls.caller)
}

export async function readResource(
  agent: Agent,
  ref: string,
  path: string,
  given?: InvokeOptions,
): Promise<Uint8Array> {
  const { globals: own, options, caller, namespace, limits } = await callsOf(agent, given, true)
  const { tool, globals } = await toolForCall(ref, own, namespace, options, caller)
  await requireAllowed(tool.name, globals, limits(), '')
  await authorizeOpening(tool, globals, options, caller)
  return (await details()).resourceBytes(tool.name, path, globals)
}

export async function describe(
  agent: Agent,
  ref: string,
): Promise<{ tool: ToolDef } & Required<ToolDetails>> {
  const { globals, limits, namespace } = await callsOf(agent)
  const tool = await requireKnown(ref, globals, limits(), namespace)
  return (await details()).describe(tool.name, globals)
}

/** Makes the catalog. Required tools may be the host's, which only the catalog knows. */
export async function catalog(agent: Agent, options?: AgentCatalogOptions<ToolDef>): Promise<AgentCatalog> {
  const { calls, all, callable } = await listsOf(agent)
  const known = options?.available ? callable : usableAmong(callable)
  const searchable = { globals: calls.view.globals, all, known, limits: calls.limits() }
  return (await catalogs()).agentCatalog(callable, options, searchable)
}

export async function authorize(
  agent: Agent,
  ref: string,
  args: unknown,
  given?: InvokeOptions,
): Promise<Authorization> {
  const { globals, options, caller, namespace } = await callsOf(agent, given)
  return decideCall(await nameGiven(ref, globals, namespace), args, globals, options, caller)
}

export async function answer(
  agent: Agent,
  id: string,
  given: unknown,
  { call, ...ids }: AnswerOptions = {},
): Promise<void> {
  // Otherwise a tool could approve its own calls.
  if (agent.caller) throw refused(id, 'an agent that a tool started answers nothing')
  const meant = call && (await calledBy(agent, call, { ...ids, callId: id }))
  if (meant === null) throw refused(id, 'its project is not trusted')
  const owner = { ...idsOf(agent), ...definedFields({ ...ids }) }
  return answerRequest(id, given, owner, agent.globals, meant)
}

async function calledBy(
  agent: Agent,
  { ref, args }: NonNullable<AnswerOptions['call']>,
  ids: CallIds,
): Promise<IdentifiedCall | null> {
  const { globals, options, namespace } = await callsOf(agent, ids)
  return callToAnswer(await nameGiven(ref, globals, namespace), args, globals, options)
}

/** @param isCall true if a person may first be asked to trust the project that defines the agent */
async function callsOf(agent: Agent, given: InvokeOptions = {}, isCall = false): Promise<Calls> {
  const { ids, named } = agent
  for (const one of agent.spawned) checkSpawned(one, agent.globals)
  if (named === undefined && agent.given !== undefined) checkAgent(agent.given, agent.globals)
  const policy = named === undefined ? agent.policy : await namedPolicy(agent, named, isCall)
  const spawned: AgentPolicy[] = []
  for (const one of agent.spawned) spawned.push(...(await spawnedPolicies(agent, one, isCall)))
  // Reads the project's configuration, which limits agents.
  const view = await agentView(agent.caller ? callGlobals(agent.caller) : agent.globals)
  const { globals } = view
  const caller = agent.caller as RunContext | undefined
  const skills: ToolDef[] = []
  for (const name of agent.skills) skills.push(await requireGiven(name, globals))
  // At the first call, since an edge worker can make no random values before it has a request.
  if (caller?.envelope.sessionId === undefined) ids.sessionId ??= crypto.randomUUID()
  const { agentId } = idsOf(agent)
  const own: InvokeOptions = {
    ...{ ...ids, ...(agent.spawned.some(idIn) && { agentId }) },
    ...definedFields({ ...given }),
    ...{ as: 'agent', policy },
  }
  const options = keepAbove(own, { spawned, skills })
  const by = skills.at(-1) ?? caller?.tool
  return {
    ...{ view, globals, options, caller, spawned, skills, namespace: by ? namespaceOf(by.name) : '' },
    limits: () => agentLimits(globals, { options, caller }),
  }
}

async function namedPolicy({ globals, ids }: Agent, id: string, isCall: boolean): Promise<AgentPolicy> {
  const known = globals.config.agents?.find(agent => agent.id === id)
  const { tools, permissions, rules } = known ?? (await projectAgent(globals, id, isCall ? ids : null))
  return { ...tools, permissions, rules }
}

/** The policies that narrow a spawned agent: its own, and those of a named agent, without rules that allow. */
async function spawnedPolicies(
  agent: Agent,
  given: SpawnPolicy | string,
  isCall: boolean,
): Promise<AgentPolicy[]> {
  const { agent: id, ...policy } = typeof given === 'string' ? { agent: given } : given
  if (id === undefined) return [policy]
  const named = await namedPolicy(agent, id, isCall)
  return [{ ...named, rules: narrowingRules(named.rules) }, policy]
}

/** The tools that an agent may call, and what the list was made from. */
interface KeptList {
  tools: readonly ToolDef[]
  /** Uncompiled code gets its metadata at its first look-up. */
  dynamic: readonly { tool: ToolDef; metadata: JsonObject }[]
  skills: readonly ToolDef[]
  policy: RuntimeConfig['policy']
  allowed: ToolDef[]
}

const lists = new WeakMap<Globals, Map<string, KeptList>>()
/** The most policies whose lists are kept, since a host may make one for each request. */
const KEPT_MAX = 32

/**
 * Returns the tools that an agent may call: the last decision, if nothing that it depends on has changed. If files may
 * change, it is always decided again.
 */
async function keptList(
  { globals, caller }: Agent,
  policies: readonly (AgentPolicy | undefined)[],
  skills: readonly ToolDef[],
  tools: readonly ToolDef[],
  decide: () => Promise<ToolDef[]>,
): Promise<ToolDef[]> {
  const { config } = globals
  const mayChange = config.freshness !== 'trust' && directoryStates(globals).some(({ library }) => !library)
  // What is withheld of an untrusted project changes with each answer.
  if (mayChange || caller || globals.isUntrusted) return decide()
  const kept = lists.get(globals) ?? new Map<string, KeptList>()
  lists.set(globals, kept)
  const key = JSON.stringify(policies)
  const known = kept.get(key)
  if (
    known &&
    known.policy === config.policy &&
    haveSameItems(known.skills, skills) &&
    haveSameItems(known.tools, tools) &&
    known.dynamic.every(({ tool, metadata }) => tool.frontmatter.metadata === metadata)
  )
    return known.allowed
  const allowed = await decide()
  const dynamic = tools
    .filter(tool => plainSourceOf(tool) === null && sourceOf(tool)?.record.dynamic)
    .map(tool => ({ tool, metadata: tool.frontmatter.metadata }))
  if (kept.size >= KEPT_MAX) kept.clear()
  kept.set(key, { tools, dynamic, skills, policy: config.policy, allowed })
  return allowed
}

/** Opens a skill for a model: calls it, or returns its text if it runs something. */
async function openForAgent(
  ref: string,
  args: unknown,
  own: Globals,
  options: InvokeOptions,
  caller: RunContext | undefined,
): Promise<OpenedSkill> {
  const namespace = caller ? namespaceOf(caller.tool.name) : ''
  const { tool, globals } = await toolForCall(ref, own, namespace, options, caller)
  const { content } = tool
  if (!content) {
    throw new AgentAppsError('CONTENT_MISSING', `The tool "${tool.name}" is code and has no content.`, {
      hint: 'Call it with `invoke`.',
      tool: tool.name,
    })
  }
  const chain = await chainOf(tool, globals)
  if (isText(tool, chain)) {
    const result = await callTool(tool.name, args, globals, options, caller)
    return isOpened(result) ? result : openSkill(tool, asText(result), globals)
  }
  await requireAllowed(ref, globals, agentLimits(globals, { options, caller }), namespace)
  const ctx = new RunContext(globals, tool, invokeFor, caller, options)
  ctx.chain = chain
  ctx.takeArguments({})
  noteOpened(ctx)
  const source = sourceOf(tool)
  const text = source ? await runMarkdown(tool, source, ctx, globals) : await content()
  return openSkill(tool, globals.redact?.(text) ?? text, globals)
}

function isOpened(result: unknown): result is OpenedSkill {
  return typeof result === 'object' && result !== null && 'content' in result && 'resources' in result
}

/**
 * Finds an agent in the configuration of a runtime's project.
 *
 * @param ids the ids of the call for which a person may be asked to trust the project; null to ask no person
 * @throws AGENT_UNKNOWN
 */
async function projectAgent(globals: Globals, id: string, ids: CallIds | null): Promise<NamedAgent> {
  const trust = await trustOf(globals)
  const found = globals.config.projects?.agents?.find(agent => agent.id === id)
  if (!found) throw agentUnknown(id)
  if (!trust || globals.config.isOwnProgram || (await trust.isTrusted())) return found
  const why = ids ? await trust.ask({ ids }) : 'no person was asked'
  if (why === null) return found
  throw agentUnknown(id, ` that counts: the project that defines it is not trusted, as ${why}`)
}
