import type { AgentPolicy, InvokeOptions } from '../state/context.js'

/** The options of a call as they are now: what its caller changes later is not for this call. */
export function ownOptions(options: InvokeOptions | undefined): InvokeOptions | undefined {
  // Only a plain object can be copied whole: a policy that another one inherits must not be lost.
  if (!options || Object.getPrototypeOf(options) !== Object.prototype) return options
  return { ...options, policy: ownPolicy(options.policy) }
}

/**
 * A copy of a policy as it is now. Anything else is returned as it is, and refused when options are checked.
 */
export function ownPolicy<Policy extends AgentPolicy | undefined>(policy: Policy): Policy | AgentPolicy {
  if (typeof policy !== 'object' || policy === null || Array.isArray(policy)) return policy
  const { allowedTools } = policy
  return { allowedTools: Array.isArray(allowedTools) ? [...allowedTools] : allowedTools }
}
