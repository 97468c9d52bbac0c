import * as mocks from 'ai/test'

/** What the model gives in one step; `tokens: null` where the provider counts none. */
type Step = { tokens?: number | null } & (
  | { text: string; finish?: 'stop' | 'length' | 'content-filter' }
  | { calls: { id: string; name: string; input: unknown }[] }
)

type Mock = mocks.MockLanguageModelV3
type Prompt = Parameters<Mock['doGenerate']>[0]['prompt']

/** The SDK's own mock model of its version, which does one step after the other. */
export function scriptedModel(...steps: Step[]): Mock {
  // Version 7 has this name.
  const { MockLanguageModelV4 } = mocks as unknown as {
    MockLanguageModelV4?: typeof mocks.MockLanguageModelV3
  }
  const Model = MockLanguageModelV4 ?? mocks.MockLanguageModelV3
  let next = 0
  return new Model({
    doGenerate: async () => resultOf(steps[next++]),
    doStream: async () => ({
      stream: mocks.simulateReadableStream({ chunks: chunksOf(resultOf(steps[next++])) }),
    }),
  })
}

type Chunk = Awaited<ReturnType<Mock['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never

function chunksOf({ content, finishReason, usage }: ReturnType<typeof resultOf>): Chunk[] {
  const parts = content.flatMap((one, at): Chunk[] => {
    if (one.type !== 'text') return [one]
    const id = `${at}`
    return [
      { type: 'text-start', id },
      { type: 'text-delta', id, delta: one.text },
      { type: 'text-end', id },
    ]
  })
  return [{ type: 'stream-start', warnings: [] }, ...parts, { type: 'finish', finishReason, usage }]
}

const NONE = { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined }
const USAGE = { inputTokens: NONE, outputTokens: { total: 1, text: 1, reasoning: undefined } }

const UNKNOWN = {
  inputTokens: { ...NONE, total: undefined, noCache: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
} as unknown as typeof USAGE

/** Of so many tokens, all but one read. */
function usageOf(tokens: number | null): typeof USAGE {
  if (tokens === null) return UNKNOWN
  return { ...USAGE, inputTokens: { ...NONE, total: tokens - 1, noCache: tokens - 1 } }
}

function resultOf(step: Step | undefined) {
  if (!step) throw new Error('The model was asked once more than its test expects.')
  return {
    content: contentOf(step),
    finishReason: {
      unified: 'text' in step ? (step.finish ?? ('stop' as const)) : ('tool-calls' as const),
      raw: undefined,
    },
    usage: step.tokens === undefined ? USAGE : usageOf(step.tokens),
    warnings: [],
  }
}

type Content =
  | { type: 'text'; text: string }
  | { type: 'tool-call'; toolCallId: string; toolName: string; input: string }

function contentOf(step: Step): Content[] {
  if ('text' in step) return [{ type: 'text', text: step.text }]
  return step.calls.map(({ id, name, input }) => ({
    ...{ type: 'tool-call' as const, toolCallId: id, toolName: name },
    input: JSON.stringify(input),
  }))
}

/** A step with one call. */
export function calling(name: string, input: unknown = {}, id = `call-${name}`): Step {
  return { calls: [{ id, name, input }] }
}

/** The system prompt that the model saw at its last step. */
export function seenSystem(model: Mock): string {
  return promptOf(model)
    .flatMap(message => (message.role === 'system' ? message.content : []))
    .join('\n')
}

/** What the model was shown as the results of its calls, by the calls' ids. */
export function seenResults(model: Mock): Record<string, unknown> {
  const parts = promptOf(model).flatMap(message => (message.role === 'tool' ? message.content : []))
  return Object.fromEntries(
    parts.flatMap(part => (part.type === 'tool-result' ? [[part.toolCallId, part.output]] : [])),
  )
}

/** The tools that the model was offered at its last step. */
export function seenTools(model: Mock): unknown[] {
  return [...model.doGenerateCalls, ...model.doStreamCalls].at(-1)?.tools ?? []
}

function promptOf(model: Mock): Prompt {
  return [...model.doGenerateCalls, ...model.doStreamCalls].at(-1)?.prompt ?? []
}

/** A part with data, as a model of the version that is tested is shown it. */
export function dataPart(data: string, mediaType: string, filename?: string): unknown {
  const named = filename === undefined ? {} : { filename }
  if ('MockLanguageModelV4' in mocks)
    return { type: 'file', data: { type: 'data', data }, mediaType, ...named }
  return { type: mediaType.startsWith('image/') ? 'image-data' : 'file-data', data, mediaType, ...named }
}

/** What the model was told by the user at its last step. */
export function seenPrompt(model: Mock): string {
  const parts = promptOf(model).flatMap(message => (message.role === 'user' ? message.content : []))
  return parts.map(part => (part.type === 'text' ? part.text : '')).join('\n')
}

/** What the model was told at each step of which tool to call. */
export function toolChoices(model: Mock): unknown[] {
  return model.doGenerateCalls.map(({ toolChoice }) => toolChoice)
}
