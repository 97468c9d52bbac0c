import type { Decision } from '../../src/policy/decide.js'

/** The decision that each error of a denied call tells of, for the event of it. */
const decisions = new WeakMap<object, Decision>()

export function keepDecision<Denied extends object>(error: Denied, decision: Decision): Denied {
  decisions.set(error, decision)
  return error
}

/** The decision that an error came of; undefined where it came of none. */
export function decisionOf(error: unknown): Decision | undefined {
  return typeof error === 'object' && error !== null ? decisions.get(error) : undefined
}
