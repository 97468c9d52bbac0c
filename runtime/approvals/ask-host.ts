import { thrownText } from '../../src/base/attempt.js'
import type { RuntimeConfig } from '../state/context.js'
import type { HostRequest } from '../state/policy.js'

/** What came of a question: what the host answered, or why nobody did. */
export type HostAnswer =
  | { answered: true; answer: unknown }
  | { answered: false; aborted: boolean; reason: string }

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
  if (!interact) return unanswered('there is nobody to ask')
  const ended = new AbortController()
  const { signal } = ended
  const asked = { ...request, signal, expires: Date.now() + interactTimeoutMs } as HostRequest
  const stopped = new Promise<HostAnswer>(resolve => {
    const timer = setTimeout(() => resolve(unanswered('nobody answered in time')), interactTimeoutMs)
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
