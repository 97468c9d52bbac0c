import { thrownText } from '../../src/base/attempt.js'
import { canonicalText } from '../../src/base/canonical-text.js'
import { isJsonObject } from '../../src/base/json.js'
import type { CallIds, Globals, RuntimeConfig } from '../state/context.js'
import { perRuntime } from '../state/per-runtime.js'
import type { ApprovalAnswer, HostRequest } from '../state/policy.js'

/** The answer of a host, or the reason why there is none. */
export type HostAnswer =
  | { answered: true; answer: unknown }
  | { answered: false; aborted: boolean; reason: string }

/** The last question of each session and user, which has an answer once this settles, as have those before it. */
const lastQuestions = perRuntime(() => new Map<string, Promise<unknown>>())

/**
 * Asks a question once those before it are answered that the same session and user are asked: a person sees one at a
 * time, and an answer is for that one. Null where the call was aborted before.
 *
 * @param question gets whether it has waited for others
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

/** Minutes that a person has, in milliseconds. */
export const TIMEOUT_MS = 300_000

/**
 * Asks a person by the host's `interact`. `abort` is the signal of the call that waits. The request gets a
 * `signal` that is aborted once no answer is wanted any more, and the time when it `expires`, in milliseconds.
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
