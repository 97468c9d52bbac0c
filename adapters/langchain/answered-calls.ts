import type { Runtime } from 'agent-apps/runtime'

/** So many calls are remembered, the last that were answered. */
const MAX = 10_000

/** The state of the answers of each runtime, by call id, oldest first. */
const known = new WeakMap<Runtime['globals'], Map<string, 'counts' | 'spent'>>()

/** The calls that a person was asked about. */
export interface AnsweredCalls {
  /** @param counts false for an answer that the runtime did not take */
  note: (id: string, counts: boolean) => void
  /** True where a call may have this id. False where that would make it the one that was approved before. */
  take: (id: string) => boolean
}

/**
 * The runtime lets a host try a call that was approved again, by its id. Ids here are the model's, which may come
 * again: what was approved is one call.
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
