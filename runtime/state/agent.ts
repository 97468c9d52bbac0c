import type { CallIds, Globals } from './context.js'
import type { AgentPolicy } from './policy.js'

/** An agent: the ids that its calls have unless they are given others, and what limits them. */
export interface Agent {
  readonly globals: Globals
  /** A session is made at the first call, if the host named none. */
  readonly ids: CallIds
  readonly policy: AgentPolicy
}
