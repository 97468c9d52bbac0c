import { askHost, askInTurn } from '../approvals/ask-host.js'
import { notify } from '../approvals/notify.js'
import { ABORTED, type Outcome, outcomeOf } from '../approvals/outcome.js'
import type { CallIds, Globals } from '../state/context.js'
import type { RunEvent } from '../state/events.js'
import type { ProjectRequest } from '../state/policy.js'
import type { ToolDef } from '../state/tool-def.js'

/** A question about a project that waits for an answer. */
export interface ProjectQuestion {
  /** The tool that an agent called; absent where it chose an agent of the project. */
  tool?: ToolDef
  ids: CallIds
  signal?: AbortSignal | undefined
}

/** Asks a person whether a project is trusted, and tells listeners. */
export async function putQuestion(
  request: Omit<ProjectRequest, 'signal' | 'expires'>,
  call: ProjectQuestion,
  globals: Globals,
): Promise<Outcome> {
  const asked = () => shown(request, call, globals)
  return (await askInTurn(globals, call.ids, call.signal, asked)) ?? ABORTED
}

async function shown(
  request: Omit<ProjectRequest, 'signal' | 'expires'>,
  { tool, ids, signal }: ProjectQuestion,
  globals: Globals,
): Promise<Outcome> {
  const started = performance.now()
  const about = { request, tool, ids, started }
  notifyOfTrust('trust:asked', about, globals)
  const answer = outcomeOf(await askHost(globals.config, request, signal))
  notifyOfTrust('trust:answered', { ...about, answer }, globals)
  return answer
}

/** A question about a project, as far as it has come. */
interface TrustEvent {
  request: Omit<ProjectRequest, 'signal' | 'expires'>
  tool: ToolDef | undefined
  ids: CallIds
  started: number
  answer?: { answer: string; reason: string }
}

/** Tells listeners that a person was asked about a project, or answered. */
function notifyOfTrust(
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
