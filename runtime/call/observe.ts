import { type ErrorCode, isAgentAppsError } from '../../src/base/error.js'
import { definedFields } from '../../src/base/json.js'
import { decisionOf } from '../../src/policy/decide.js'
import { isFailure } from '../../src/skill/tool-result.js'
import { notify } from '../approvals/notify.js'
import type { RunEvent, RunEventType } from '../state/events.js'
import { invocationOf, type RunContext } from './run-context.js'

/** Runs a call, and notifies the listeners when it begins and how it ends. */
export async function observed(ctx: RunContext, run: () => Promise<unknown>): Promise<unknown> {
  ctx.started = performance.now()
  emit('tool:start', ctx)
  try {
    const result = await run()
    emit('tool:end', ctx, { ...ctx.progress, ...(isFailure(result) && { failed: true }) })
    return result
  } catch (error) {
    const isDenied = isAgentAppsError(error) && DENIALS.has(error.code)
    emit(
      isDenied ? 'tool:denied' : 'tool:error',
      ctx,
      isDenied ? { error, ...aboutDenied(ctx, error) } : { error },
    )
    throw error
  }
}

function aboutDenied({ tool }: RunContext, error: unknown): Partial<RunEvent> {
  return { ...definedFields({ decision: decisionOf(error) }), origin: tool.origin }
}

/** The codes of a call that an agent may not make. */
const DENIALS: ReadonlySet<ErrorCode> = new Set([
  'APPROVAL_DENIED',
  'APPROVAL_KEY_INVALID',
  'APPROVAL_UNAVAILABLE',
  'PERMISSION_MISSING',
  'TOOL_DENIED',
])

/** Notifies the listeners of an event of a call. */
export function emit(type: RunEventType, ctx: RunContext, more: Partial<RunEvent> = {}): void {
  const { globals, tool, caller, started, options } = ctx
  if (!globals.events.listeners.has(type)) return
  const { agentId, sessionId, userId } = ctx.envelope
  const now = performance.now()
  notify(
    {
      ...(globals.redact?.(more) ?? more),
      type,
      run: ctx.run.id,
      ...(caller && { parent: invocationOf(caller).run.id }),
      ...(options?.callId !== undefined && { callId: options.callId }),
      ...definedFields({ agentId, sessionId, userId }),
      tool: tool.name,
      layer: tool.origin.layer,
      duration: now - (started ?? now),
    },
    globals,
  )
}
