/** The methods of `AgentRuntime`: each takes the agent, and what the host gave it. */

import { definedFields } from '../../src/base/defined-fields.js'
import type { Agent } from '../state/agent.js'
import type { InvokeOptions } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { projectAgent } from '../trust/project-agent.js'
import { findForAgent, listForAgent } from './agent-calls.js'
import { callTool } from './call-tool.js'
import { type Authorization, decideCall } from './decide-call.js'
import { optionsOf } from './own-options.js'

export function findTool({ globals, policy }: Agent, ref: string): Promise<ToolDef | null> {
  return findForAgent(ref, globals, policy)
}

export function listTools({ globals, policy }: Agent): Promise<ToolDef[]> {
  return listForAgent(globals, policy)
}

export function invoke(agent: Agent, ref: string, args: unknown, options?: InvokeOptions): Promise<unknown> {
  return callTool(ref, args, agent.globals, callOptions(agent, options), undefined)
}

export function authorize(agent: Agent, ref: string, args: unknown): Promise<Authorization> {
  return decideCall(ref, args, agent.globals, callOptions(agent))
}

/** An agent of the project's configuration, for one of its methods. A call has a person asked first. */
export async function named(agent: Agent, method: string): Promise<Agent> {
  const { globals, ids, named: id = '' } = agent
  const found = await projectAgent(globals, id, method === 'invoke' ? ids : null)
  const { agentId: _, ...policy } = optionsOf(found)
  return { globals, ids, policy }
}

function callOptions({ ids, policy }: Agent, given: InvokeOptions = {}): InvokeOptions {
  // Made at the first call: an edge worker makes no random values before it has a request.
  ids.sessionId ??= crypto.randomUUID()
  return { ...ids, ...definedFields({ ...given }), as: 'agent', policy }
}
