import { AIMessage, type BaseMessage } from '@langchain/core/messages'
import type { JsonObject } from 'agent-apps'
import type { ApprovalAnswer, Authorization, Runtime } from 'agent-apps/runtime'
import { giveAnswer } from '../skill-tools/give-answer.js'
import type { ModelTool, ToolCall } from '../skill-tools/model-tool.js'
import { callIdIn, isBubbling, threadOf } from './langchain-tool.js'

interface GraphRuntime {
  configurable?: Record<string, unknown> | undefined
  interrupt?: ((question: never) => unknown) | undefined
}

/**
 * Asks a person about all calls of a message at once, by an interrupt of the graph. After the answer, LangGraph runs this
 * again from the start.
 *
 * Answers are untrusted: one counts only for a request that was kept when the graph was interrupted, so that neither forged
 * messages nor unrequested answers approve anything.
 */
export function askForApproval(
  tools: ReadonlyMap<string, ModelTool>,
  sessionId: string | undefined,
  answered: AnsweredCalls,
) {
  return async (state: { messages: BaseMessage[] }, runtime: GraphRuntime): Promise<undefined> => {
    const session = sessionId ?? threadOf(runtime.configurable)
    const ids = session === undefined ? {} : { sessionId: session }
    const asked = await askedCalls(tools, state.messages, ids)
    if (asked.length === 0 || !runtime.interrupt) return
    const answers = await answersTo(asked, runtime.interrupt as (question: unknown) => unknown, ids)
    for (const [at, one] of asked.entries())
      answered.note(one.id, await giveAnswer(one.call, one.id, answers[at] as GivenAnswer, ids))
  }
}

/** Interrupts the graph until it is resumed with answers. */
async function answersTo(
  asked: readonly AskedCall[],
  interrupt: (question: unknown) => unknown,
  ids: { sessionId?: string },
): Promise<GivenAnswer[]> {
  const question = questionFor(asked)
  for (;;) {
    try {
      const answers = answersOf(interrupt(question), asked)
      if (answers) return answers
    } catch (error) {
      // Kept only now, so that a repeated run does not look as if it had asked.
      if (isBubbling(error)) await Promise.all(asked.map(one => keep(one, ids)))
      throw error
    }
    question.problem = 'The answer is invalid. Give `{ decisions }`, with a decision for each call, in order.'
  }
}

/** The calls of the last message that need a person. */
async function askedCalls(
  tools: ReadonlyMap<string, ModelTool>,
  messages: readonly BaseMessage[],
  ids: { sessionId?: string },
): Promise<AskedCall[]> {
  const last = messages.at(-1)
  if (!AIMessage.isInstance(last)) return []
  const asked: AskedCall[] = []
  for (const { id, name, args } of last.tool_calls ?? []) {
    const call = tools.get(name)?.callOf(args)
    if (!call || id === undefined) continue
    const request = await requestFor(call, ids)
    if (request) asked.push({ id: callIdIn(ids.sessionId, id), name, call, request })
  }
  return asked
}

async function requestFor(
  { agent, ref, args }: ToolCall,
  ids: { sessionId?: string },
): Promise<WaitingRequest | undefined> {
  try {
    return (await agent.authorize(ref, args, ids)).request
  } catch {
    // The call itself fails in the same way, and tells the model.
    return undefined
  }
}

/** Keeps a request until it is answered. */
async function keep(
  { id, call: { agent, ref, args } }: AskedCall,
  ids: { sessionId?: string },
): Promise<void> {
  await agent.authorize(ref, args, { ...ids, callId: id })
}

type GivenAnswer = ApprovalAnswer | { answer: ApprovalAnswer; reason?: string }

const ANSWERS: readonly unknown[] = ['allow-once', 'allow-session', 'allow-project', 'deny']

/** The value of an interrupt, in the form of LangChain's own approval middleware, with the requests. */
function questionFor(asked: readonly AskedCall[]): JsonObject {
  const question = {
    actionRequests: asked.map(({ name, request: { args, text } }) => ({ name, args, description: text })),
    reviewConfigs: asked.map(({ name }) => ({ actionName: name, allowedDecisions: ['approve', 'reject'] })),
    requests: asked.map(({ id, request }) => ({ ...request, id })),
  }
  return JSON.parse(JSON.stringify(question)) as JsonObject
}

/**
 * Reads the answers with which the graph was resumed: `{ decisions: [{ type: 'approve' | 'reject', message? }, …] }`, as
 * LangChain's own middleware takes them, or our answers in place of decisions; for a single call, also an answer alone. Null
 * for anything else.
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
  const text = typeof message === 'string' ? message : reason
  const why = typeof text === 'string' ? { reason: text } : {}
  // With both forms, the decision is ambiguous.
  if (type !== undefined && answer !== undefined) return null
  if (type === 'approve') return { answer: 'allow-once', ...why }
  if (type === 'reject') return { answer: 'deny', ...why }
  return ANSWERS.includes(answer) ? { answer: answer as ApprovalAnswer, ...why } : null
}

type WaitingRequest = NonNullable<Authorization['request']>

/** A model's call that a person is asked about. */
interface AskedCall {
  /** Its id for the runtime. */
  id: string
  /** The model's name for the tool. */
  name: string
  call: ToolCall
  request: WaitingRequest
}

/** The answered calls that are remembered, the latest. */
const MAX = 10_000

/** The states of answers by runtime and call id, oldest first. */
const known = new WeakMap<Runtime['globals'], Map<string, 'counts' | 'spent'>>()

/** The calls that a person has answered about. */
interface AnsweredCalls {
  /** Records an answer. `counts` is false if the runtime did not take it. */
  note: (id: string, counts: boolean) => void
  /** True if a call may use this id; false if that would reuse an earlier approval. */
  take: (id: string) => boolean
}

/**
 * Limits each approval to one call. The runtime lets a host repeat an approved call by its id, but here ids are the model's,
 * which it may reuse.
 */
export function answeredCalls({ globals }: Runtime): AnsweredCalls {
  const calls = known.get(globals) ?? new Map<string, 'counts' | 'spent'>()
  known.set(globals, calls)
  const set = (id: string, state: 'counts' | 'spent'): void => {
    calls.delete(id)
    calls.set(id, state)
    const [oldest] = calls.keys()
    if (calls.size > MAX && oldest !== undefined) calls.delete(oldest)
  }
  return {
    note: (id, counts) => set(id, counts ? 'counts' : 'spent'),
    take(id) {
      const state = calls.get(id)
      if (state !== undefined) set(id, 'spent')
      return state !== 'spent'
    },
  }
}
