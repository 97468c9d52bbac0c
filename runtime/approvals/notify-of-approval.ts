import type { ApprovedCall } from './approved-call.js'
import { notify } from './notify.js'

/** Tells listeners that a person was asked about a call, or answered. */
export function notifyOfApproval(
  type: 'approval:asked' | 'approval:answered',
  { asking, key, digest }: ApprovedCall,
  about: Record<string, unknown>,
): void {
  const { tool, globals, envelope, run, started } = asking
  if (!globals.events.listeners.has(type)) return
  const { agentId, sessionId, userId, callId } = envelope
  const { origin } = tool
  const duration = started === undefined ? 0 : performance.now() - started
  const metadata = { ...about, key: key.shown, digest: digest.text, callId }
  notify(
    {
      type,
      run: run.id,
      tool: tool.name,
      layer: origin.layer,
      duration,
      origin,
      agentId,
      sessionId,
      userId,
      metadata,
    },
    globals,
  )
}
