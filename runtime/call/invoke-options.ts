import { checkOptions } from '../../src/base/options.js'
import type { InvokeOptions } from '../state/context.js'
import { checkPolicy } from './own-options.js'

const OPTIONS: Record<keyof InvokeOptions, string> = {
  signal: 'an object, an AbortSignal',
  as: '"code" or "agent"',
  nonlocals: 'an object',
  policy: 'an object',
  sessionId: 'a string',
  messageId: 'a string',
  callId: 'a string',
  agentId: 'a string',
  userId: 'a string',
  workspaceId: 'a string',
}

/** Throws OPTIONS_INVALID for an option or a policy that `invoke` does not know, or that is of the wrong type. */
export function checkInvokeOptions(options: InvokeOptions): void {
  checkOptions('invoke', options, OPTIONS)
  if (options.policy !== undefined) checkPolicy('policy', options.policy)
}
