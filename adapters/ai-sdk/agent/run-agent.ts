import { estimateTokens } from 'agent-apps'
import type { Model } from 'agent-apps/runtime'
import { generateText, type LanguageModel, type ModelMessage, type ToolSet } from 'ai'
import { aiTool } from '../ai-tool.js'
import type { AgentRun } from './agent-run.js'
import { type AgentTools, agentTools } from './agent-tools.js'
import { RESULT_TOOL } from './result-tool.js'

/** The work of an agent. */
export interface AgentWork extends AgentTools {
  model: Model
  /** What it is to follow. */
  system: string
  /** What it is to do. */
  prompt: string
}

type Answer = Awaited<ReturnType<typeof generateText>>

/** Below so many tokens, the model is told how many it has left: above, a provider may refuse the number. */
const TOLD_TOKENS = 4096

/**
 * Has a model work as an agent, step by step, until it gives its result: by a call where one is expected, else in words.
 * Each step is a request of its own, so that what the model has of earlier ones can change.
 *
 * @throws AGENT_LIMIT, AGENT_NO_RESULT, AGENT_FAILED; RUN_ABORTED; what the model's provider throws
 */
export async function runAgent(work: AgentWork, run: AgentRun): Promise<unknown> {
  run.mustGoOn()
  const { tools: made, about } = await agentTools(work, run)
  const tools: ToolSet = Object.fromEntries([...made].map(([name, tool]) => [name, aiTool(name, tool, null)]))
  const instructions = [work.system, about].filter(text => text !== '').join('\n\n')
  const messages: ModelMessage[] = [{ role: 'user', content: work.prompt }]
  for (let step = 1; step <= run.maxSteps; step++) {
    const answer = await answerOf(work, run, { instructions, messages, tools, isLast: step === run.maxSteps })
    messages.push(...messagesOf(answer))
    run.endStep({
      text: answer.text,
      calls: answer.toolCalls.map(({ toolName }) => toolName),
      tokens: tokensOf(answer, instructions, messages),
    })
    const { ending } = run
    if (ending) {
      if ('error' in ending) throw ending.error
      return ending.result
    }
    if (answer.toolCalls.length === 0) {
      if (!work.expected) return wordsOf(answer, run)
      messages.push({
        role: 'user',
        content: `Give your result by a call of ${RESULT_TOOL}, and not in words.`,
      })
    }
    run.mustGoOn()
  }
  throw run.unfinished('steps')
}

interface Step {
  instructions: string
  messages: readonly ModelMessage[]
  tools: ToolSet
  /** Whether the model gets no further step. */
  isLast: boolean
}

async function answerOf(
  { model, expected }: AgentWork,
  { signal, tokensLeft, shownInstead }: AgentRun,
  { instructions, messages, tools, isLast }: Step,
): Promise<Answer> {
  const mustGive = isLast || Object.keys(tools).length === 1
  const request = {
    model: model as LanguageModel,
    // Version 7 takes the first, version 6 the second.
    ...{ instructions, system: instructions },
    messages: messages.map(message => shownMessage(message, shownInstead)),
    tools,
    ...(expected && {
      toolChoice: mustGive ? { type: 'tool' as const, toolName: RESULT_TOOL } : ('required' as const),
    }),
    abortSignal: signal,
    ...(tokensLeft < TOLD_TOKENS && { maxOutputTokens: Math.max(1, tokensLeft) }),
  }
  return unlessAborted(generateText(request), signal)
}

/** What work gives, without waiting for what does not heed the signal. */
async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  let stop = (): void => undefined
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
  })
  try {
    return await Promise.race([work, aborted])
  } catch (error) {
    // What ends with the signal says so in its own words.
    throw signal.aborted ? signal.reason : error
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

function messagesOf(answer: Answer): ModelMessage[] {
  // Version 6 has them in `response`.
  const { responseMessages } = answer as { responseMessages?: ModelMessage[] }
  return responseMessages ?? answer.response.messages
}

/** A message with what the model has dropped or summarized in the place of the results. */
function shownMessage(message: ModelMessage, shownInstead: AgentRun['shownInstead']): ModelMessage {
  if (message.role !== 'tool') return message
  const content = message.content.map(part => {
    const value = part.type === 'tool-result' ? shownInstead(part.toolCallId) : undefined
    return value === undefined ? part : { ...part, output: { type: 'text' as const, value } }
  })
  return { ...message, content: content as typeof message.content }
}

/** The tokens of a step. Those that the provider does not count are estimated. */
function tokensOf(
  { usage, text, toolCalls }: Answer,
  instructions: string,
  messages: readonly ModelMessage[],
): number {
  const { totalTokens, inputTokens, outputTokens } = usage
  if (totalTokens) return totalTokens
  const estimated = (value: unknown): number => estimateTokens(JSON.stringify(value) ?? '')
  return (inputTokens ?? estimated([instructions, messages])) + (outputTokens ?? estimated([text, toolCalls]))
}

function wordsOf({ text, finishReason }: Answer, run: AgentRun): string {
  if (finishReason === 'length') throw run.unfinished('cut')
  if (finishReason === 'content-filter' || finishReason === 'error') throw run.unfinished('refused')
  return text
}
