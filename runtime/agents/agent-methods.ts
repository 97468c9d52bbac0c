/** The methods of `AgentRuntime`: each takes the agent, and what the host gave it. */

import { definedFields } from '../../src/base/defined-fields.js'
import { findForAgent, listForAgent } from '../call/agent-calls.js'
import { callTool } from '../call/call-tool.js'
import { type Authorization, decideCall } from '../call/decide-call.js'
import type { Agent } from '../state/agent.js'
import type { InvokeOptions } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'

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

function callOptions({ ids, policy }: Agent, given: InvokeOptions = {}): InvokeOptions {
  // Made at the first call: an edge worker makes no random values before it has a request.
  ids.sessionId ??= crypto.randomUUID()
  return { ...ids, ...definedFields({ ...given }), as: 'agent', policy }
}
