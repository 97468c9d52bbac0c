import type { ApprovalRequest, Runtime, RuntimeOptions } from 'agent-apps'
import { runtimeWith, type Tools } from './registered-runtime.js'

/** A runtime whose host gives these answers, one after another, and what it was asked. */
export function asking(
  tools: Tools,
  answers: unknown[],
  more: RuntimeOptions = {},
): { runtime: Runtime; requests: ApprovalRequest[] } {
  const { interact, requests } = answering(answers)
  return { runtime: runtimeWith(tools, { interact, ...more }), requests }
}

/** A host that gives these answers, one after another, and keeps what it was asked. */
export function answering(answers: unknown[]): {
  interact: NonNullable<RuntimeOptions['interact']>
  requests: ApprovalRequest[]
} {
  const requests: ApprovalRequest[] = []
  return {
    requests,
    interact: request => {
      requests.push(request as ApprovalRequest)
      const answer = answers.shift()
      if (answer instanceof Error) throw answer
      return answer as 'deny'
    },
  }
}

/** What a call gives, or the code of what it throws. */
export const code = (promise: Promise<unknown>): Promise<unknown> =>
  promise.catch((error: { code?: string }) => error.code ?? error)
