import { checkOptions, type OptionTable } from '../../src/base/options.js'
import { LIMITS } from '../../src/policy/policy-options.js'
import { POLICY } from '../options/check-limits.js'
import type { InvokeOptions } from '../state/context.js'

const OPTIONS: OptionTable<keyof InvokeOptions> = {
  signal: 'object',
  as: ['code', 'agent'],
  nonlocals: 'object',
  policy: 'object',
  sessionId: 'string',
  messageId: 'string',
  callId: 'string',
  agentId: 'string',
  userId: 'string',
  workspaceId: 'string',
  timeoutMs: 'number',
}

/**
 * Throws OPTIONS_INVALID for an option or a policy that `invoke` does not know, or that is of the wrong type: a
 * misspelt limit would allow everything.
 *
 * @param isInside true inside a call, where a policy may only narrow
 */
export function checkInvokeOptions(options: InvokeOptions, isInside: boolean): void {
  checkOptions('invoke', options, OPTIONS)
  if (options.policy !== undefined) checkOptions('policy', options.policy, isInside ? LIMITS : POLICY)
}
