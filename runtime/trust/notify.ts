import { isThenable } from '../host/later.js'
import type { CallIds, Globals } from '../state/context.js'
import type { RunEvent } from '../state/events.js'
import { addDiagnostic } from '../state/globals.js'
import type { ProjectRequest } from '../state/policy.js'
import type { ToolDef } from '../state/tool-def.js'

/** A question about a project, as far as it has come. */
interface TrustEvent {
  request: Omit<ProjectRequest, 'signal' | 'expires'>
  tool: ToolDef | undefined
  ids: CallIds
  started: number
  answer?: { answer: string; reason: string }
}

/** Tells listeners that a person was asked about a project, or answered. */
export function notifyOfTrust(
  type: 'trust:asked' | 'trust:answered',
  { request, tool, ids, started, answer }: TrustEvent,
  globals: Globals,
): void {
  const listeners = globals.events.listeners.get(type)
  if (listeners === undefined) return
  const { id, root, digest, tools } = request
  const event: RunEvent = Object.freeze({
    type,
    run: id,
    tool: tool?.name ?? '',
    layer: tool?.origin.layer ?? 'project',
    duration: performance.now() - started,
    origin: tool?.origin,
    agentId: ids.agentId,
    sessionId: ids.sessionId,
    userId: ids.userId,
    metadata: { root, digest, tools, ...answer },
  })
  for (const { listener } of [...listeners]) {
    try {
      const given: unknown = listener(event)
      if (isThenable(given)) given.then(undefined, error => note(type, error, globals))
    } catch (error) {
      note(type, error, globals)
    }
  }
}

function note(type: string, error: unknown, globals: Globals): void {
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
