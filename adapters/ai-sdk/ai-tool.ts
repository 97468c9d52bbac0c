import { failureForModel } from 'agent-apps'
import type { AgentRuntime, RunEvents, ToolDef } from 'agent-apps/runtime'
import { jsonSchema, type ModelMessage, type Tool } from 'ai'
import type { CallOptions, ModelTool, ToolCall } from '../skill-tools/model-tool.js'
import { modelTool } from '../skill-tools/model-tool.js'
import { withUpdates } from '../skill-tools/with-updates.js'
import { modelOutput } from './model-output.js'

type ToolResultOutput = Awaited<ReturnType<NonNullable<Tool['toModelOutput']>>>

/** A call as the SDK knows it. */
export interface AskedCall {
  toolName: string
  toolCallId: string
  input: unknown
  /** The messages before the call; after an approval, with the call and the answer. */
  messages: readonly ModelMessage[]
}

/** Approval by the SDK's requests. */
export interface Approval {
  /** The question to a person about a call; null if it needs no approval. */
  needed: (call: ToolCall, asked: AskedCall) => Promise<string | null>
  /** Grants a call by the answer in the messages, as far as they can be trusted. */
  grant: (call: ToolCall, asked: AskedCall) => Promise<'granted' | 'refused' | 'not-asked'>
}

/** The SDK's tool for what a model calls. */
export function aiTool(toolName: string, tool: ModelTool, approval: Approval | null): Tool<unknown, unknown> {
  const { description, schema, callOf, run, show, events } = tool
  return {
    ...(description !== undefined && { description }),
    // Without `validate`: the runtime validates, and explains faults to the model.
    inputSchema: jsonSchema<unknown>(schema as Parameters<typeof jsonSchema>[0]),
    ...(approval && {
      needsApproval: async (input: unknown, asked: Pick<AskedCall, 'toolCallId' | 'messages'>) =>
        (await whyAsked(toolName, tool, approval)(input, asked)) !== null,
    }),
    async *execute(input, { toolCallId, messages, abortSignal }) {
      try {
        const call = approval && callOf(input)
        const granted = call && (await approval.grant(call, { toolName, toolCallId, input, messages }))
        const options: CallOptions = {
          // A used approval must not count for the same call again.
          ...(granted !== 'refused' && { callId: toolCallId }),
          ...(abortSignal && { signal: abortSignal }),
        }
        yield yield* withUpdates(events, options.callId, () => run(input, options))
      } catch (error) {
        throw abortSignal?.aborted ? error : new ToolFailure(error)
      }
    },
    // The parts depend on the SDK's version at run time, not on that of the types.
    toModelOutput: ({ output }) => modelOutput(show(output)) as ToolResultOutput,
  }
}

/** Returns the question to a person about a call; null if it needs no approval. */
export function whyAsked(toolName: string, { callOf }: ModelTool, approval: Approval) {
  return async (
    input: unknown,
    { toolCallId, messages }: Pick<AskedCall, 'toolCallId' | 'messages'>,
  ): Promise<string | null> => {
    const call = callOf(input)
    return call && approval.needed(call, { toolName, toolCallId, input, messages })
  }
}

/** The error of a call, with the text for the model: version 6 takes the message, version 7 `toString()`. */
class ToolFailure extends Error {
  override name = 'ToolFailure'

  constructor(cause: unknown) {
    super(JSON.stringify(failureForModel(cause)), { cause })
  }

  override toString(): string {
    return this.message
  }
}

/**
 * A tool of an agent for the SDK. Approval is asked by the runtime's `interact`.
 *
 * @param options `events`: those of the runtime, `runtime.globals.events`, for preliminary results from the tool's progress
 */
export function toAiTool(
  agent: AgentRuntime,
  tool: ToolDef,
  options: { events?: RunEvents } = {},
): Tool<unknown, unknown> {
  return aiTool(tool.name, modelTool(agent, tool, options.events), null)
}
