import { failureForModel, type JsonObject } from 'agent-apps'
import type { RunEvents } from 'agent-apps/runtime'
import { jsonSchema, type ModelMessage, type Tool } from 'ai'
import type { ModelOutput } from './model-output.js'
import { withUpdates } from './with-updates.js'

/** What a model calls, whether that is a tool or a way to skills. */
export interface ModelTool {
  description: string | undefined
  schema: JsonObject
  /** The call of a tool that the model's input stands for; null where none is made. */
  callOf: (input: unknown) => ToolCall | null
  run: (input: unknown, options: CallOptions) => Promise<unknown>
  show: (result: unknown) => ModelOutput
  /** Where its progress is reported. */
  events?: RunEvents | undefined
}

export interface ToolCall {
  ref: string
  args: unknown
}

/** As `agent.invoke` takes them. */
export interface CallOptions {
  callId: string
  signal?: AbortSignal
}

/** Approval by the SDK's own means. */
export interface Approval {
  /** Whether a person has to be asked about a call, and why. */
  needed: (call: ToolCall, callId: string, messages: readonly ModelMessage[]) => Promise<string | null>
  /** Grants a call what the person answered that the messages tell of. */
  grant: (call: ToolCall, callId: string, messages: readonly ModelMessage[]) => Promise<void>
}

/** The SDK's tool for what a model calls. */
export function aiTool(tool: ModelTool, approval: Approval | null): Tool<unknown, unknown> {
  const { description, schema, callOf, run, show, events } = tool
  return {
    ...(description !== undefined && { description }),
    // Without `validate`: the runtime does that, and tells the model what is wrong.
    inputSchema: jsonSchema<unknown>(schema as Parameters<typeof jsonSchema>[0]),
    async *execute(input, { toolCallId, messages, abortSignal }) {
      try {
        const call = approval && callOf(input)
        if (call) await approval?.grant(call, toolCallId, messages)
        const options = { callId: toolCallId, ...(abortSignal && { signal: abortSignal }) }
        yield* withUpdates(events, () => run(input, options))
      } catch (error) {
        throw asFailure(error, abortSignal)
      }
    },
    toModelOutput: ({ output }) => show(output),
  }
}

/** The SDK shows a model the message of what is thrown. */
function asFailure(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return error
  return new Error(JSON.stringify(failureForModel(error)), { cause: error })
}
