import type { JsonObject } from 'agent-apps'
import type { ApprovalAnswer } from 'agent-apps/runtime'
import type { AskedCall } from './asked-call.js'

/** As `agent.answer` takes it. */
export type GivenAnswer = ApprovalAnswer | { answer: ApprovalAnswer; reason?: string }

const ANSWERS: readonly unknown[] = ['allow-once', 'allow-session', 'allow-project', 'deny']

/** The value of an interrupt, as LangChain's own middleware for approvals gives it, with the requests beside it. */
export function questionFor(asked: readonly AskedCall[]): JsonObject {
  const question = {
    actionRequests: asked.map(({ name, request: { args, text } }) => ({ name, args, description: text })),
    reviewConfigs: asked.map(({ name }) => ({ actionName: name, allowedDecisions: ['approve', 'reject'] })),
    requests: asked.map(({ id, request }) => ({ ...request, id })),
  }
  return JSON.parse(JSON.stringify(question)) as JsonObject
}

/**
 * The answer for each call that the graph was resumed with: `{ decisions: [{ type: 'approve' | 'reject',
 * message? }, …] }`, as LangChain's own middleware takes it, or our answers in place of decisions; for a
 * single call, an answer alone. Null for anything else.
 */
export function answersOf(given: unknown, asked: readonly AskedCall[]): GivenAnswer[] | null {
  const { decisions } = Object(given) as { decisions?: unknown }
  const answers = (Array.isArray(decisions) ? decisions : [given]).map(answerOf)
  const isWhole = answers.length === asked.length && !answers.includes(null)
  return isWhole ? (answers as GivenAnswer[]) : null
}

function answerOf(decision: unknown): GivenAnswer | null {
  const { type, message, answer, reason } = Object(
    typeof decision === 'string' ? { answer: decision } : decision,
  ) as Record<string, unknown>
  const said = typeof message === 'string' ? message : reason
  const why = typeof said === 'string' ? { reason: said } : {}
  // One that says both yes and no is neither.
  if (type !== undefined && answer !== undefined) return null
  if (type === 'approve') return { answer: 'allow-once', ...why }
  if (type === 'reject') return { answer: 'deny', ...why }
  return ANSWERS.includes(answer) ? { answer: answer as ApprovalAnswer, ...why } : null
}
