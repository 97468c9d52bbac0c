import { definedFields } from '../../src/base/defined-fields.js'
import { lazy, whenThere } from '../host/later.js'
import { cloneArguments } from '../schema/clone-arguments.js'
import { type Agent, agentUnknown } from '../state/agent.js'
import type { Globals, InvokeOptions } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import type { Authorization } from './decide-call.js'
import { type AgentOptions, checkAgent, optionsOf, ownOptions } from './own-options.js'

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

/** The methods of an agent, each a function of `agent-methods.ts`, which is loaded when one is called. */
const METHODS = ['findTool', 'listTools', 'invoke', 'authorize'] as const

/** The runtime of an agent. Throws OPTIONS_INVALID, as a misspelt limit would be none. */
export function agentRuntime(globals: Globals, options: AgentOptions | string = {}): AgentRuntime {
  const isNamed = typeof options === 'string'
  const known = isNamed ? globals.config.agents?.find(({ id }) => id === options) : undefined
  // A project's configuration is read at the first call.
  if (isNamed && !known && !globals.configure && !globals.config.projects) throw agentUnknown(options)
  const given = isNamed ? (known ? optionsOf(known) : { agentId: options }) : options
  const { sessionId, agentId, userId, workspaceId, ...policy } = checkAgent(given)
  const ids = definedFields({ sessionId, agentId, userId, workspaceId })
  const agent: Agent = { globals, ids, policy, ...(isNamed && !known && { named: options }) }
  return Object.fromEntries(METHODS.map(name => [name, method(agent, name)])) as unknown as AgentRuntime
}

/** What a caller gives is copied before anything is awaited. */
function method(agent: Agent, name: (typeof METHODS)[number]) {
  return (ref: string, args?: unknown, options?: InvokeOptions): Promise<unknown> => {
    const given = cloneArguments(args)
    const own = ownOptions(options)
    return Promise.resolve(
      whenThere(methods(), later =>
        agent.named === undefined
          ? later[name](agent, ref, given, own)
          : later.named(agent, name).then((one: Agent) => later[name](one, ref, given, own)),
      ),
    )
  }
}
