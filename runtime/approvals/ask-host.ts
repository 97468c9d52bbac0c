import { thrownText } from '../../src/base/attempt.js'
import { canonicalText } from '../../src/base/canonical-text.js'
import { isJsonObject } from '../../src/base/json.js'
import type { CallIds, Globals, RuntimeConfig } from '../state/context.js'
import { perRuntime } from '../state/per-runtime.js'
import type { ApprovalAnswer, HostRequest } from '../state/policy.js'

/** The host's answer, or the reason why it gave none. */
type HostAnswer = { answered: true; answer: unknown } | { answered: false; aborted: boolean; reason: string }

/** Settles once the last question of a session and user, and all before it, are answered. */
const lastQuestions = perRuntime(() => new Map<string, Promise<unknown>>())

/**
 * Asks a question after all earlier ones for the same session and user are answered, so that a person sees one at a
 * time. Null if the call is aborted before that.
 *
 * @param question is passed true if it waited for others
 */
export async function askInTurn<Answer>(
  globals: Globals,
  { sessionId, userId }: Pick<CallIds, 'sessionId' | 'userId'>,
  abort: AbortSignal | undefined,
  question: (hasWaited: boolean) => Promise<Answer>,
): Promise<Answer | null> {
  if (globals.config.interactParallel) return question(false)
  const last = lastQuestions(globals)
  const key = canonicalText([sessionId, userId])
  const before = last.get(key)
  const answer = (async () => {
    const waited = new AbortController()
    const aborted = new Promise<void>(resolve => {
      abort?.addEventListener('abort', () => resolve(), { signal: waited.signal })
    })
    if (!abort?.aborted) await Promise.race([before, aborted])
    waited.abort()
    return abort?.aborted ? null : question(before !== undefined)
  })()
  const all = Promise.allSettled([before, answer]).then(() => {
    if (last.get(key) === all) last.delete(key)
  })
  last.set(key, all)
  return answer
}

/** Milliseconds. */
export const TIMEOUT_MS = 300_000

/**
 * Asks a person with the host's `interact`. The request gets a `signal`, aborted once the answer is no longer needed,
 * and `expires`, in milliseconds since 1970.
 *
 * @param abort the signal of the call that waits
 */
export async function askHost(
  { interact, interactTimeoutMs = TIMEOUT_MS }: RuntimeConfig,
  request: Omit<HostRequest, 'signal' | 'expires'>,
  abort: AbortSignal | undefined,
): Promise<HostAnswer> {
  if (!interact) return unanswered('no person can be asked')
  const ended = new AbortController()
  const { signal } = ended
  const asked = { ...request, signal, expires: Date.now() + interactTimeoutMs } as HostRequest
  const stopped = new Promise<HostAnswer>(resolve => {
    const timer = setTimeout(() => resolve(unanswered('no answer came in time')), interactTimeoutMs)
    const onAbort = (): void => resolve({ answered: false, aborted: true, reason: 'the call was aborted' })
    abort?.addEventListener('abort', onAbort, { signal })
    if (abort?.aborted) onAbort()
    signal.addEventListener('abort', () => clearTimeout(timer))
  })
  const answered = (async (): Promise<HostAnswer> => ({
    answered: true,
    answer: await interact(Object.freeze(asked)),
  }))().catch((error: unknown) => unanswered(`asking failed: ${thrownText(error)}`))
  const outcome = await Promise.race([answered, stopped])
  ended.abort()
  return outcome
}

function unanswered(reason: string): HostAnswer {
  return { answered: false, aborted: false, reason }
}

export interface Outcome {
  answer: ApprovalAnswer | 'unavailable' | 'aborted'
  reason: string
  /** True if the tool changed before the answer came. */
  isOutdated?: true
}

export const ABORTED = { answer: 'aborted', reason: 'the call was aborted' } as const satisfies Outcome

export const ANSWERS: readonly ApprovalAnswer[] = ['allow-once', 'allow-session', 'allow-project', 'deny']

export function isAnswer(value: unknown): value is ApprovalAnswer {
  return ANSWERS.some(one => one === value)
}

export function outcomeOf(said: HostAnswer): Outcome {
  if (said.answered) return readAnswer(said.answer)
  return { answer: said.aborted ? 'aborted' : 'unavailable', reason: said.reason }
}

/** Reads a host's answer. Anything but an `ApprovalAnswer` counts as unavailable. */
export function readAnswer(given: unknown): Outcome {
  const { answer, reason } = isJsonObject(given) ? given : { answer: given, reason: undefined }
  if (isAnswer(answer)) return { answer, reason: typeof reason === 'string' ? reason : '' }
  return { answer: 'unavailable', reason: `the answer was none of ${ANSWERS.join(', ')}` }
}
