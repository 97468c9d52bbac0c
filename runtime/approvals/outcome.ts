import { isJsonObject } from '../../src/base/json.js'
import type { ApprovalAnswer } from '../state/policy.js'
import type { HostAnswer } from './ask-host.js'

/** The outcome of a question. */
export interface Outcome {
  answer: ApprovalAnswer | 'unavailable' | 'aborted'
  reason: string
  /** True where the tool was changed before the answer came. */
  isOutdated?: true
}

export const ABORTED = { answer: 'aborted', reason: 'the call was aborted' } as const satisfies Outcome

export const ANSWERS: readonly ApprovalAnswer[] = ['allow-once', 'allow-session', 'allow-project', 'deny']

export function isAnswer(value: unknown): value is ApprovalAnswer {
  return ANSWERS.some(one => one === value)
}

/** The outcome of asking a host. */
export function outcomeOf(said: HostAnswer): Outcome {
  if (said.answered) return readAnswer(said.answer)
  return { answer: said.aborted ? 'aborted' : 'unavailable', reason: said.reason }
}

/** Reads what a host answered: anything but an answer is none. */
export function readAnswer(given: unknown): Outcome {
  const { answer, reason } = isJsonObject(given) ? given : { answer: given, reason: undefined }
  if (isAnswer(answer)) return { answer, reason: typeof reason === 'string' ? reason : '' }
  return { answer: 'unavailable', reason: `the answer was none of ${ANSWERS.join(', ')}` }
}
