import type { Runtime } from 'agent-apps/runtime'

/** The answered calls that are remembered, the latest. */
const MAX = 10_000

/** The states of answers by runtime and call id, oldest first. */
const known = new WeakMap<Runtime['globals'], Map<string, 'counts' | 'spent'>>()

/** The calls that a person has answered about. */
export interface AnsweredCalls {
  /** Records an answer. `counts` is false if the runtime did not take it. */
  note: (id: string, counts: boolean) => void
  /** True if a call may use this id; false if that would reuse an earlier approval. */
  take: (id: string) => boolean
}

/**
 * Limits each approval to one call. The runtime lets a host repeat an approved call by its id, but here ids are the model's,
 * which it may reuse.
 */
export function answeredCalls({ globals }: Runtime): AnsweredCalls {
  const calls = known.get(globals) ?? new Map<string, 'counts' | 'spent'>()
  known.set(globals, calls)
  const set = (id: string, state: 'counts' | 'spent'): void => {
    calls.delete(id)
    calls.set(id, state)
    const [oldest] = calls.keys()
    if (calls.size > MAX && oldest !== undefined) calls.delete(oldest)
  }
  return {
    note: (id, counts) => set(id, counts ? 'counts' : 'spent'),
    take(id) {
      const state = calls.get(id)
      if (state !== undefined) set(id, 'spent')
      return state !== 'spent'
    },
  }
}
