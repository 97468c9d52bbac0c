import { isJsonObject } from '../../src/base/json.js'
import { askHost } from '../policy/ask-host.js'
import type { CallIds, Globals } from '../state/context.js'
import type { ApprovalAnswer, ProjectRequest } from '../state/policy.js'
import type { ToolDef } from '../state/tool-def.js'
import { notifyOfTrust } from './notify.js'

/** What waits for an answer about a project. */
export interface ProjectQuestion {
  /** The tool that an agent called; absent where it chose an agent of the project. */
  tool?: ToolDef
  ids: CallIds
  signal?: AbortSignal | undefined
}

/** What came of the question, and why. */
export interface ProjectAnswer {
  answer: ApprovalAnswer | 'unavailable'
  reason: string
}

const ANSWERS: readonly ApprovalAnswer[] = ['allow-once', 'allow-session', 'allow-project', 'deny']

/** Asks a person whether a project is trusted, and tells listeners. */
export async function putQuestion(
  request: Omit<ProjectRequest, 'signal' | 'expires'>,
  { tool, ids, signal }: ProjectQuestion,
  globals: Globals,
): Promise<ProjectAnswer> {
  const started = performance.now()
  const about = { request, tool, ids, started }
  notifyOfTrust('trust:asked', about, globals)
  const said = await askHost(globals.config, request, signal)
  const answer: ProjectAnswer = said.answered
    ? readAnswer(said.answer)
    : { answer: 'unavailable', reason: said.reason }
  notifyOfTrust('trust:answered', { ...about, answer }, globals)
  return answer
}

function readAnswer(given: unknown): ProjectAnswer {
  const { answer, reason } = isJsonObject(given) ? given : { answer: given, reason: undefined }
  const known = ANSWERS.find(one => one === answer)
  if (!known) return { answer: 'unavailable', reason: `the answer was none of ${ANSWERS.join(', ')}` }
  const why = typeof reason === 'string' && reason !== '' ? `: ${reason}` : ''
  return { answer: known, reason: `it was denied${why}` }
}
