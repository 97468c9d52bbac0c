import { askHost, askInTurn } from '../approvals/ask-host.js'
import { ABORTED, type Outcome, outcomeOf } from '../approvals/outcome.js'
import type { CallIds, Globals } from '../state/context.js'
import type { ProjectRequest } from '../state/policy.js'
import type { ToolDef } from '../state/tool-def.js'
import { notifyOfTrust } from './notify-of-trust.js'

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
