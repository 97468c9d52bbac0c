/** The methods of `AgentRuntime`: each takes the agent, and what the host gave it. */

import { definedFields } from '../../src/base/defined-fields.js'
import type { Catalog, CatalogOptions } from '../../src/catalog/catalog.js'
import { isOffered, matchedTool } from '../../src/catalog/offered-tool.js'
import { hasRequiredTools } from '../../src/catalog/required-tools.js'
import type { ToolDetails } from '../../src/index/index-format.js'
import { namespaceOf } from '../../src/skill/names.js'
import { answerRequest } from '../approvals/waiting-request.js'
import { findForAgent, requireAllowed } from '../call/agent-calls.js'
import { callTool } from '../call/call-tool.js'
import { decideCall } from '../call/decide-call.js'
import type { RunContext } from '../call/run-context.js'
import { allTools } from '../find/all-tools.js'
import type { OpenedSkill } from '../find/opened-skill.js'
import { requireTool } from '../find/require-tool.js'
import { nameWithin } from '../find/resolve-within.js'
import { lazy } from '../host/later.js'
import { type AgentLimits, agentLimits } from '../policy/agent-limits.js'
import { allowedAmong } from '../policy/authorize.js'
import { isEnabled } from '../policy/is-enabled.js'
import { type Agent, idsOf, keepAbove } from '../state/agent.js'
import type { InvokeOptions } from '../state/context.js'
import type { Authorization } from '../state/policy.js'
import type { ToolDef } from '../state/tool-def.js'
import { keptList } from './kept-lists.js'

const opening = lazy(() => import('./open-for-agent.js'))
const details = lazy(() => import('../find/read-details.js'))
const catalogs = lazy(() => import('../../src/catalog/catalog.js'))

/** Where an agent calls from. */
interface Place {
  options: InvokeOptions
  caller: RunContext | undefined
  /** The skills in whose place it calls. */
  skills: readonly ToolDef[]
  limits: () => AgentLimits
  /** The namespace of whoever calls, in which names are looked up first. */
  namespace: string
}

export async function findTool(agent: Agent, ref: string): Promise<ToolDef | null> {
  const { limits, namespace } = await placeOf(agent)
  return findForAgent(ref, agent.globals, limits(), namespace)
}

export async function listTools(agent: Agent): Promise<ToolDef[]> {
  const { limits, skills } = await placeOf(agent)
  const { globals } = agent
  const tools = await allTools(globals)
  const offered = (): ToolDef[] => tools.filter(tool => isOffered(tool) && isEnabled(tool, globals))
  return keptList(agent, skills, tools, async () => usable(await allowedAmong(offered(), globals, limits())))
}

/** Those that do not lack a tool that they require. */
function usable(tools: ToolDef[]): ToolDef[] {
  const there = tools.map(matchedTool)
  return tools.filter(({ frontmatter }) => hasRequiredTools(frontmatter.metadata['requires-tools'], there))
}

export async function invoke(
  agent: Agent,
  ref: string,
  args: unknown,
  options?: InvokeOptions,
): Promise<unknown> {
  const place = await placeOf(agent, options)
  const { globals } = agent
  return callTool(await nameWithin(place.namespace, ref, globals), args, globals, place.options, place.caller)
}

export async function open(
  agent: Agent,
  ref: string,
  args: unknown,
  options?: InvokeOptions,
): Promise<OpenedSkill> {
  const place = await placeOf(agent, options)
  const { globals } = agent
  const name = await nameWithin(place.namespace, ref, globals)
  return (await opening()).openForAgent(name, args, globals, place.options, place.caller)
}

export async function readResource(agent: Agent, ref: string, path: string): Promise<Uint8Array> {
  const { name } = await allowedTool(agent, ref)
  return (await details()).resourceBytes(name, path, agent.globals)
}

export async function describe(
  agent: Agent,
  ref: string,
): Promise<{ tool: ToolDef } & Required<ToolDetails>> {
  const { name } = await allowedTool(agent, ref)
  return (await details()).describe(name, agent.globals)
}

export async function catalog(agent: Agent, options?: CatalogOptions<ToolDef>): Promise<Catalog> {
  return (await catalogs()).makeCatalog(await listTools(agent), options)
}

export async function authorize(
  agent: Agent,
  ref: string,
  args: unknown,
  given?: InvokeOptions,
): Promise<Authorization> {
  const { options, caller, namespace } = await placeOf(agent, given)
  const { globals } = agent
  return decideCall(await nameWithin(namespace, ref, globals), args, globals, options, caller)
}

export function answer(agent: Agent, id: string, given: unknown): Promise<void> {
  return answerRequest(id, given, idsOf(agent), agent.globals)
}

async function allowedTool(agent: Agent, ref: string): Promise<ToolDef> {
  const { limits, namespace } = await placeOf(agent)
  return requireAllowed(ref, agent.globals, limits(), namespace)
}

async function placeOf(agent: Agent, given: InvokeOptions = {}): Promise<Place> {
  const { globals, ids, policy, spawned } = agent
  const caller = agent.caller as RunContext | undefined
  // What limits agents is known once the project's configuration is.
  if (globals.configure) await globals.configure()
  const skills: ToolDef[] = []
  for (const name of agent.skills) skills.push(await requireTool(name, globals))
  // Made at the first call: an edge worker makes no random values before it has a request.
  if (caller?.envelope.sessionId === undefined) ids.sessionId ??= crypto.randomUUID()
  const own: InvokeOptions = { ...ids, ...definedFields({ ...given }), as: 'agent', policy }
  const options = keepAbove(own, { spawned, skills })
  const by = skills.at(-1) ?? caller?.tool
  return {
    ...{ options, caller, skills, namespace: by ? namespaceOf(by.name) : '' },
    limits: () => agentLimits(globals, { options, caller }),
  }
}
