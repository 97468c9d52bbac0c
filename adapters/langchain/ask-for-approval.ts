import { AIMessage, type BaseMessage } from '@langchain/core/messages'
import { isAgentAppsError } from 'agent-apps'
import type { ModelTool, ToolCall } from '../skill-tools/model-tool.js'
import type { AnsweredCalls } from './answered-calls.js'
import type { AskedCall, WaitingRequest } from './asked-call.js'
import { isBubbling } from './langchain-tool.js'
import { answersOf, type GivenAnswer, questionFor } from './resumed-answers.js'
import { callIdIn, threadOf } from './thread-of.js'

interface GraphRuntime {
  configurable?: Record<string, unknown> | undefined
  interrupt?: ((question: never) => unknown) | undefined
}

/**
 * Asks a person about a model's calls, all of one message at once, by an interrupt of the graph. LangGraph
 * runs it again from its beginning when there is an answer.
 *
 * Answers come from wherever the application has them. An answer counts only for a request that was kept when
 * the graph was interrupted, so neither forged messages nor unrequested answers approve anything.
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
      answered.note(one.id, await answer(one, answers[at] as GivenAnswer, ids))
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
      // Nothing was kept before, so that what runs again does not look as if it had been asked.
      if (isBubbling(error)) await Promise.all(asked.map(one => keep(one, ids)))
      throw error
    }
    question.problem =
      'The answer could not be read. Give `{ decisions }`, with a decision for each call, in order.'
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
    // The call itself is decided about in the same way, and tells the model what is wrong with it.
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

/** Hands an answer on. False where it does not count: the call then is one that nobody approved. */
async function answer(
  { id, call: { agent, ref, args } }: AskedCall,
  given: GivenAnswer,
  ids: { sessionId?: string },
): Promise<boolean> {
  try {
    await agent.answer(id, given, { ...ids, call: { ref, args } })
    return true
  } catch (error) {
    if (!isAgentAppsError(error) || error.code !== 'APPROVAL_INVALID') throw error
    return false
  }
}
