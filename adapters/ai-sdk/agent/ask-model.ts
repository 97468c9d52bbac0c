import { estimateTokens } from 'agent-apps'
import type { Model } from 'agent-apps/runtime'
import { generateText, type LanguageModel, type ModelMessage, type ToolChoice, type ToolSet } from 'ai'
import type { AgentRun } from './agent-run.js'
import { opens } from './agent-tools.js'

/** A message, with the step that it was said in. */
export interface Said {
  step: number
  message: ModelMessage
}

/** A request to a model. */
export interface Request {
  model: Model
  instructions: string
  messages: readonly Said[]
  tools: ToolSet
  toolChoice: ToolChoice<ToolSet> | undefined
}

/** A model's answer, once the tools that it called have run. */
export interface Answer {
  text: string
  /** The names of these tools. */
  calls: string[]
  finishReason: string
  /** The tokens that it read and wrote. */
  tokens: number
  /** The messages to add. */
  messages: ModelMessage[]
}

/** Below so many tokens, the model is told how many it has left: above, a provider may refuse the number. */
const TOLD_TOKENS = 4096

/** Asks a model for one answer. Throws what the signal was aborted with, and what the provider throws. */
export async function askModel(request: Request, run: AgentRun): Promise<Answer> {
  const { model, instructions, messages, toolChoice, tools } = request
  const { signal, tokensLeft, shownInstead } = run
  const shown = messages.map(said => shownMessage(said, shownInstead))
  const asked = {
    model: model as LanguageModel,
    // Version 7 takes the first, version 6 the second.
    ...{ instructions, system: instructions },
    ...{ messages: shown, tools, abortSignal: signal },
    ...(toolChoice && { toolChoice }),
    ...(tokensLeft < TOLD_TOKENS && { maxOutputTokens: Math.max(1, tokensLeft) }),
  }
  try {
    return answerOf(await unlessAborted(generateText(asked), signal), request)
  } catch (error) {
    if (isOtherChoice(error)) return otherAnswer(error, request)
    throw error
  }
}

function answerOf(result: Awaited<ReturnType<typeof generateText>>, request: Request): Answer {
  const { text, toolCalls, finishReason, usage, response } = result
  // Version 6 has them in `response`.
  const { responseMessages = response.messages } = result as { responseMessages?: ModelMessage[] }
  const read = counted(usage.inputTokens) ?? tokensRead(request)
  const tokens =
    counted(usage.totalTokens) || read + (counted(usage.outputTokens) ?? tokensIn([text, toolCalls]))
  const calls = toolCalls.map(({ toolName }) => toolName)
  return { text, calls, finishReason, tokens, messages: responseMessages }
}

/** The SDK's error for a model that does not make the call it has to make. None of its calls has run. */
interface OtherChoice {
  content: readonly { type: string; text?: string }[]
  finishReason?: string
}

function isOtherChoice(error: unknown): error is OtherChoice {
  const { name, content } = Object(error) as { name?: unknown; content?: unknown }
  return name === 'AI_ToolChoiceViolationError' && Array.isArray(content)
}

/** An answer without the call that had to be made: only its words count. */
function otherAnswer({ content, finishReason = 'other' }: OtherChoice, request: Request): Answer {
  const text = content.map(part => (part.type === 'text' ? (part.text ?? '') : '')).join('')
  const messages: ModelMessage[] = text === '' ? [] : [{ role: 'assistant', content: text }]
  // The SDK does not say how many were counted.
  return { text, calls: [], finishReason, messages, tokens: tokensRead(request) + tokensIn(content) }
}

/** A provider's number, if it is one: with NaN or less than none, no limit would ever be reached. */
function counted(tokens: number | undefined): number | undefined {
  return Number.isFinite(tokens) && Number(tokens) >= 0 ? tokens : undefined
}

function tokensRead({ instructions, messages }: Request): number {
  return tokensIn([instructions, messages.map(({ message }) => message)])
}

function tokensIn(value: unknown): number {
  return estimateTokens(JSON.stringify(value) ?? '')
}

/** A message with what the model has dropped or summarized in the place of the results. */
function shownMessage({ step, message }: Said, shownInstead: AgentRun['shownInstead']): ModelMessage {
  if (message.role !== 'tool') return message
  const content = message.content.map(part => {
    const value =
      part.type === 'tool-result' && opens(part.toolName) ? shownInstead(step, part.toolCallId) : undefined
    return value === undefined ? part : { ...part, output: { type: 'text' as const, value } }
  })
  return { ...message, content: content as typeof message.content }
}

/** Settles as the work does, without waiting for work that ignores the signal. */
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
