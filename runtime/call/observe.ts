import { type ErrorCode, isAgentAppsError } from '../../src/base/error.js'
import { isThenable } from '../host/later.js'
import type { Globals } from '../state/context.js'
import type { Progress, RunEvent, RunEventType } from '../state/events.js'
import { addDiagnostic } from '../state/globals.js'
import { invocationOf, type RunContext } from './run-context.js'

/** Runs a call, and notifies the listeners when it begins and how it ends. */
export async function observed(ctx: RunContext, run: () => Promise<unknown>): Promise<unknown> {
  ctx.started = performance.now()
  emit('tool:start', ctx)
  try {
    const result = await run()
    emit('tool:end', ctx, ctx.progress)
    return result
  } catch (error) {
    emit(isAgentAppsError(error) && DENIALS.has(error.code) ? 'tool:denied' : 'tool:error', ctx, {
      error,
    })
    throw error
  }
}

/** The codes of a call that an agent may not make. */
const DENIALS: ReadonlySet<ErrorCode> = new Set([
  'APPROVAL_DENIED',
  'APPROVAL_UNAVAILABLE',
  'PERMISSION_MISSING',
  'TOOL_DENIED',
])

/** Notifies the listeners of an event of a call. */
export function emit(type: RunEventType, ctx: RunContext, more: Progress & { error?: unknown } = {}): void {
  const { globals, tool, caller, started } = ctx
  const listeners = globals.events.listeners.get(type)
  if (listeners === undefined) return
  const now = performance.now()
  const event: RunEvent = Object.freeze({
    ...more,
    type,
    run: ctx.run.id,
    ...(caller && { parent: invocationOf(caller).run.id }),
    tool: tool.name,
    layer: tool.origin.layer,
    duration: now - (started ?? now),
  })
  for (const { listener } of [...listeners]) {
    try {
      const answer: unknown = listener(event)
      if (isThenable(answer)) answer.then(undefined, error => note(type, error, globals))
    } catch (error) {
      note(type, error, globals)
    }
  }
}

function note(type: RunEventType, error: unknown, globals: Globals): void {
  addDiagnostic(globals, {
    file: `(listener of ${type})`,
    line: 1,
    column: 1,
    rule: 'listener-throws',
    severity: 'warning',
    reason: `A listener of "${type}" throws: ${error instanceof Error ? error.message : String(error)}`,
    note: 'Mend the listener; the call went on without it.',
  })
}
