import type { AgentPolicy, InvokeOptions } from '../state/context.js'

/** The options of a call as they are now: what its caller changes later is not for this call. */
export function ownOptions(options: InvokeOptions | undefined): InvokeOptions | undefined {
  // Of another object than a plain one not all can be copied: a policy that it inherits must not be lost.
  if (!options || Object.getPrototypeOf(options) !== Object.prototype) return options
  return { ...options, policy: ownPolicy(options.policy) }
}

/** A policy as it is now. What is none is left to who checks it. */
export function ownPolicy<Policy extends AgentPolicy | undefined>(policy: Policy): Policy | AgentPolicy {
  if (typeof policy !== 'object' || policy === null || Array.isArray(policy)) return policy
  const { allowedTools } = policy
  return { allowedTools: Array.isArray(allowedTools) ? [...allowedTools] : allowedTools }
}
