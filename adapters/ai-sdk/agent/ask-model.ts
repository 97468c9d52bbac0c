import { estimateTokens } from 'agent-apps'
import type { Model } from 'agent-apps/runtime'
import { generateText, type LanguageModel, type ModelMessage, type ToolChoice, type ToolSet } from 'ai'
import type { AgentRun } from './agent-run.js'
import { opens } from './agent-tools.js'

export interface StepMessage {
  step: number
  message: ModelMessage
}

export interface Request {
  model: Model
  instructions: string
  messages: readonly StepMessage[]
  tools: ToolSet
  toolChoice: ToolChoice<ToolSet> | undefined
}

/** A model's answer, once the tools that it called have run. */
export interface Answer {
  text: string
  /** The names of these tools. */
  calls: string[]
  finishReason: string
  /** The tokens read and written. */
  tokens: number
  messages: ModelMessage[]
}

/** Below this number of tokens left, the output is limited to them. Providers may refuse larger limits. */
const LIMITED_TOKENS = 4096

/** Asks a model for one answer. Throws the reason of the signal, and what the provider throws. */
export async function askModel(request: Request, run: AgentRun): Promise<Answer> {
  const { model, instructions, messages, toolChoice, tools } = request
  const { signal, tokensLeft, shownInstead } = run
  const shown = messages.map(one => shownMessage(one, shownInstead))
  const asked = {
    model: model as LanguageModel,
    // For version 7 and 6.
    ...{ instructions, system: instructions },
    ...{ messages: shown, tools, abortSignal: signal },
    ...(toolChoice && { toolChoice }),
    ...(tokensLeft < LIMITED_TOKENS && { maxOutputTokens: Math.max(1, tokensLeft) }),
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
  // In version 6, they are in `response`.
  const { responseMessages = response.messages } = result as { responseMessages?: ModelMessage[] }
  const read = counted(usage.inputTokens) ?? tokensRead(request)
  const tokens =
    counted(usage.totalTokens) || read + (counted(usage.outputTokens) ?? tokensIn([text, toolCalls]))
  const calls = toolCalls.map(({ toolName }) => toolName)
  return { text, calls, finishReason, tokens, messages: responseMessages }
}

/** The SDK's error for a model that ignores `toolChoice`. None of its calls has run. */
interface OtherChoice {
  content: readonly { type: string; text?: string }[]
  finishReason?: string
}

function isOtherChoice(error: unknown): error is OtherChoice {
  const { name, content } = Object(error) as { name?: unknown; content?: unknown }
  return name === 'AI_ToolChoiceViolationError' && Array.isArray(content)
}

/** An answer without the required call: only its text counts. */
function otherAnswer({ content, finishReason = 'other' }: OtherChoice, request: Request): Answer {
  const text = content.map(part => (part.type === 'text' ? (part.text ?? '') : '')).join('')
  const messages: ModelMessage[] = text === '' ? [] : [{ role: 'assistant', content: text }]
  // The SDK's error has no usage.
  return { text, calls: [], finishReason, messages, tokens: tokensRead(request) + tokensIn(content) }
}

/** A provider's number if it is valid: with NaN or a negative one, no limit would ever be reached. */
function counted(tokens: number | undefined): number | undefined {
  return Number.isFinite(tokens) && Number(tokens) >= 0 ? tokens : undefined
}

function tokensRead({ instructions, messages }: Request): number {
  return tokensIn([instructions, messages.map(({ message }) => message)])
}

function tokensIn(value: unknown): number {
  return estimateTokens(JSON.stringify(value) ?? '')
}

/** A message in which dropped or summarized results are replaced. */
function shownMessage({ step, message }: StepMessage, shownInstead: AgentRun['shownInstead']): ModelMessage {
  if (message.role !== 'tool') return message
  const content = message.content.map(part => {
    const value =
      part.type === 'tool-result' && opens(part.toolName) ? shownInstead(step, part.toolCallId) : undefined
    return value === undefined ? part : { ...part, output: { type: 'text' as const, value } }
  })
  return { ...message, content: content as typeof message.content }
}

/** Races work against the signal, which the work may ignore. */
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
    // Aborted work fails with errors of its own.
    throw signal.aborted ? signal.reason : error
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
