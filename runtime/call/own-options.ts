import { checkOptions, type OptionTable } from '../../src/base/options.js'
import type { AgentPolicy, InvokeOptions } from '../state/context.js'

const POLICY: OptionTable<keyof AgentPolicy> = { allowedTools: 'patterns' }

/**
 * A copy of a call's options, those that they inherit included: what its caller changes later does not reach this
 * call. Unknown names are kept, so that `checkInvokeOptions` refuses them.
 */
export function ownOptions(options: InvokeOptions | undefined): InvokeOptions | undefined {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) return options
  const { signal, as, nonlocals, policy } = options
  const { sessionId, messageId, callId, agentId, userId, workspaceId } = options
  const ids = { sessionId, messageId, callId, agentId, userId, workspaceId }
  return { ...options, ...ids, signal, as, nonlocals, policy: ownPolicy(policy) }
}

/** A copy of a policy. Anything but an object is returned as it is, so that `checkPolicy` refuses it. */
export function ownPolicy<Policy extends AgentPolicy | undefined>(policy: Policy): Policy | AgentPolicy {
  if (typeof policy !== 'object' || policy === null || Array.isArray(policy)) return policy
  const { allowedTools } = policy
  return { ...policy, allowedTools: Array.isArray(allowedTools) ? [...allowedTools] : allowedTools }
}

/**
 * Checks a policy that `ownPolicy` copied: a misspelt one would allow everything.
 *
 * @throws OPTIONS_INVALID
 */
export function checkPolicy(of: string, policy: AgentPolicy): void {
  checkOptions(of, policy, POLICY)
}
