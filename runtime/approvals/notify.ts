import { thrownText } from '../../src/base/attempt.js'
import { isThenable } from '../host/later.js'
import type { Globals } from '../state/context.js'
import type { RunEvent } from '../state/events.js'
import { addDiagnostic } from '../state/globals.js'
import type { IdentifiedCall } from './pending-call.js'

/** Calls the listeners of an event. One that throws becomes a diagnostic. */
export function notify(given: RunEvent, globals: Globals): void {
  const { type } = given
  const event = Object.freeze(globals.redact?.(given) ?? given)
  for (const { listener } of [...(globals.events.listeners.get(type) ?? [])]) {
    try {
      const answer: unknown = listener(event)
      if (isThenable(answer)) answer.then(undefined, error => note(type, error, globals))
    } catch (error) {
      note(type, error, globals)
    }
  }
}

function note(type: string, error: unknown, globals: Globals): void {
  addDiagnostic(globals, {
    file: `(listener of ${type})`,
    rule: 'listener-throws',
    severity: 'warning',
    reason: `A listener of "${type}" throws: ${thrownText(error)}`,
    note: 'Correct the listener; the call went on without it.',
  })
}

/** Notifies listeners of a question about a call, or of its answer. */
export function notifyOfApproval(
  type: 'approval:asked' | 'approval:answered',
  { pending, key, digest }: IdentifiedCall,
  about: Record<string, unknown>,
): void {
  const { tool, globals, envelope, run, started } = pending
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
