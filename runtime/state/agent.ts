import { AgentAppsError } from '../../src/base/error.js'
import type { SpawnPolicy } from '../../src/skill/tool-context.js'
import type { CallContext, CallIds, Globals, InvokeOptions } from './context.js'
import type { AgentPolicy } from './policy.js'
import type { ToolDef } from './tool-def.js'

/** An agent: its limits, and the ids that its calls have unless they are given others. */
export interface AgentOptions extends AgentPolicy, Omit<CallIds, 'callId' | 'messageId'> {}

/** An agent: the ids that its calls have unless they are given others, and what limits them. */
export interface Agent {
  readonly globals: Globals
  /** The options of its host, to be checked. */
  readonly given?: unknown
  /** A session is made at the first call, if the host named none. Agents that it spawns share it. */
  readonly ids: CallIds
  /** The policy of its host; undefined if a tool spawned it. */
  readonly policy: AgentPolicy | undefined
  /** The id of the named agent that it is. */
  readonly named: string | undefined
  /** The policies, and ids of named agents, that it was spawned with, outermost first. */
  readonly spawned: readonly (SpawnPolicy | string)[]
  /** The names of the skills in whose place it calls. */
  readonly skills: readonly string[]
  /** The call whose tool spawned it. */
  readonly caller: CallContext | undefined
}

/** Whose calls an agent makes: one that a tool spawned calls for the caller of the tool. */
export function idsOf({ ids, caller, spawned }: Agent): CallIds {
  const agentId = spawned.map(idIn).findLast(id => id !== undefined)
  return { ...caller?.envelope, ...ids, ...(agentId !== undefined && { agentId }) }
}

/** The id of the named agent that one was spawned as. */
export function idIn(spawned: SpawnPolicy | string): string | undefined {
  return typeof spawned === 'string' ? spawned : spawned.agent
}

/** The limits of an agent's call besides the policy in its options. */
export interface AgentAbove {
  spawned: readonly AgentPolicy[]
  skills: readonly ToolDef[]
}

/** Keyed by the options of a call: only the runtime can give them, or leave them out. */
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
