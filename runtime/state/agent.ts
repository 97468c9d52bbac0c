import { AgentAppsError } from '../../src/base/error.js'
import type { CallIds, Globals } from './context.js'
import type { AgentPolicy } from './policy.js'

/** An agent: the ids that its calls have unless they are given others, and what limits them. */
export interface Agent {
  readonly globals: Globals
  /** A session is made at the first call, if the host named none. */
  readonly ids: CallIds
  readonly policy: AgentPolicy
  /** The id of an agent that the project's configuration should have. */
  readonly named?: string
}

export function agentUnknown(id: string, why = ''): AgentAppsError {
  return new AgentAppsError('AGENT_UNKNOWN', `There is no agent ${JSON.stringify(id)}${why}.`, {
    hint: 'Give it to `agents` of createRuntime, or of the configuration of a trusted project.',
  })
}
