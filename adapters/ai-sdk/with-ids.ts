import type { AgentRuntime } from 'agent-apps/runtime'

/** Whose calls an agent makes. */
export interface AgentIds {
  sessionId?: string
  userId?: string
}

/** An agent whose calls, and answers about them, have these ids: a named agent has none of its own. */
export function withIds(agent: AgentRuntime, ids: AgentIds): AgentRuntime {
  return {
    ...agent,
    invoke: (ref, args, options) => agent.invoke(ref, args, { ...ids, ...options }),
    open: (ref, args, options) => agent.open(ref, args, { ...ids, ...options }),
    authorize: (ref, args, options) => agent.authorize(ref, args, { ...ids, ...options }),
    answer: (id, answer, options) => agent.answer(id, answer, { ...ids, ...options }),
    within: skill => withIds(agent.within(skill), ids),
    spawn: policy => withIds(agent.spawn(policy), ids),
  }
}
