import { notify } from '../approvals/notify.js'
import type { CallIds, Globals } from '../state/context.js'
import type { RunEvent } from '../state/events.js'
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
  if (!globals.events.listeners.has(type)) return
  const { id, root, digest, tools } = request
  const event: RunEvent = {
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
  }
  notify(event, globals)
}
