import { AgentAppsError } from '../../src/base/error.js'
import type { SpawnPolicy } from '../../src/skill/tool-context.js'
import type { CallContext, CallIds, Globals, InvokeOptions } from './context.js'
import type { AgentPolicy } from './policy.js'
import type { ToolDef } from './tool-def.js'

/** The options of an agent: its limits, and the default ids of its calls. */
export interface AgentOptions extends AgentPolicy, Omit<CallIds, 'callId' | 'messageId'> {}

/** An agent: the default ids of its calls, and what limits them. */
export interface Agent {
  readonly globals: Globals
  /** The host's options, not yet checked. */
  readonly given?: unknown
  /** The first call makes a session id unless the host gave one. Spawned agents share it. */
  readonly ids: CallIds
  /** The host's policy; undefined if a tool spawned the agent. */
  readonly policy: AgentPolicy | undefined
  /** The id of a named agent. */
  readonly named: string | undefined
  /** The policies and ids of named agents that it was spawned with, outermost first. */
  readonly spawned: readonly (SpawnPolicy | string)[]
  readonly skills: readonly string[]
  /** The call of the tool that spawned it. */
  readonly caller: CallContext | undefined
}

/** The ids of an agent's calls. A spawned agent has those of the call that spawned it. */
export function idsOf({ ids, caller, spawned }: Agent): CallIds {
  const agentId = spawned.map(idIn).findLast(id => id !== undefined)
  return { ...caller?.envelope, ...ids, ...(agentId !== undefined && { agentId }) }
}

/** The id of a named agent that was spawned. */
export function idIn(spawned: SpawnPolicy | string): string | undefined {
  return typeof spawned === 'string' ? spawned : spawned.agent
}

/** The limits of an agent's call besides the policy in its options. */
interface AgentAbove {
  spawned: readonly AgentPolicy[]
  skills: readonly ToolDef[]
}

/** Keyed by the options of a call, so that only the runtime can set or omit them. */
const above = new WeakMap<InvokeOptions, AgentAbove>()

export function keepAbove<Options extends InvokeOptions>(options: Options, agent: AgentAbove): Options {
  above.set(options, agent)
  return options
}

export function aboveOf(options: InvokeOptions | undefined): AgentAbove | undefined {
  return options && above.get(options)
}

export function agentUnknown(id: string, why = ''): AgentAppsError {
  return new AgentAppsError('AGENT_UNKNOWN', `There is no agent ${JSON.stringify(id)}${why}.`, {
    hint: 'Give it to `agents` of createRuntime, or of the configuration of a trusted project.',
  })
}
