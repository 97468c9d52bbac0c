import { definedFields } from '../../src/base/defined-fields.js'
import type { Authorization } from '../call/decide-call.js'
import { type AgentOptions, checkAgent } from '../call/own-options.js'
import { lazy } from '../host/later.js'
import type { Agent } from '../state/agent.js'
import type { Globals, InvokeOptions } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { laterMethods } from './later-methods.js'

/** A runtime for an agent: it sees no hidden and no disabled tool, and every call is checked. */
export interface AgentRuntime {
  /** The tool that a name leads to; null where the agent may call none of that name. */
  findTool: (ref: string) => Promise<ToolDef | null>
  /** The tools that it may call, as far as they have a description. */
  listTools: () => Promise<ToolDef[]>
  /**
   * Runs a tool.
   *
   * @throws TOOL_DENIED, PERMISSION_MISSING where it may not be called; APPROVAL_DENIED, APPROVAL_UNAVAILABLE
   *   where the call needs approval and does not get it
   */
  invoke: (ref: string, args?: unknown, options?: Omit<InvokeOptions, 'as' | 'policy'>) => Promise<unknown>
  /** Decides about a call as `invoke` does, without making it or asking anybody. */
  authorize: (ref: string, args?: unknown) => Promise<Authorization>
}

const methods = lazy(() => import('./agent-methods.js'))

/** The runtime of an agent. Throws OPTIONS_INVALID, as a misspelt limit would be none. */
export function agentRuntime(globals: Globals, options: AgentOptions = {}): AgentRuntime {
  const { sessionId, agentId, userId, workspaceId, ...policy } = checkAgent(options)
  const agent: Agent = { globals, ids: definedFields({ sessionId, agentId, userId, workspaceId }), policy }
  return laterMethods(agent, ['findTool', 'listTools', 'invoke', 'authorize'], methods) as AgentRuntime
}
