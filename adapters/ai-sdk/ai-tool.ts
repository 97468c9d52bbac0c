import { failureForModel } from 'agent-apps'
import type { AgentRuntime, RunEvents, ToolDef } from 'agent-apps/runtime'
import { jsonSchema, type ModelMessage, type Tool } from 'ai'
import type { CallOptions, ModelTool, ToolCall } from '../skill-tools/model-tool.js'
import { modelTool } from '../skill-tools/model-tool.js'
import { withUpdates } from '../skill-tools/with-updates.js'
import { modelOutput } from './model-output.js'

type ToolResultOutput = Awaited<ReturnType<NonNullable<Tool['toModelOutput']>>>

/** The call as the SDK knows it. */
export interface AskedCall {
  toolName: string
  toolCallId: string
  input: unknown
  /** Those that led to the call, or with it and the answer, those that go on with it. */
  messages: readonly ModelMessage[]
}

/** Approval by the SDK's own means. */
export interface Approval {
  /** The question to a person about a call; null where nobody has to be asked. */
  needed: (call: ToolCall, asked: AskedCall) => Promise<string | null>
  /** Grants a call what a person answered, as far as the messages tell of an answer and can be believed. */
  grant: (call: ToolCall, asked: AskedCall) => Promise<'granted' | 'refused' | 'not-asked'>
}

/** The SDK's tool for what a model calls. */
export function aiTool(toolName: string, tool: ModelTool, approval: Approval | null): Tool<unknown, unknown> {
  const { description, schema, callOf, run, show, events } = tool
  return {
    ...(description !== undefined && { description }),
    // Without `validate`: the runtime does that, and tells the model what is wrong.
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
          // An approval that was used before must not count as that of the same call, tried again.
          ...(granted !== 'refused' && { callId: toolCallId }),
          ...(abortSignal && { signal: abortSignal }),
        }
        yield yield* withUpdates(events, options.callId, () => run(input, options))
      } catch (error) {
        throw asFailure(error, abortSignal)
      }
    },
    // Which parts there are depends on the SDK's version at run time, not on the one whose types these are.
    toModelOutput: ({ output }) => modelOutput(show(output)) as ToolResultOutput,
  }
}

/** Gives the question to a person about a call; null where nobody has to be asked. */
export function whyAsked(toolName: string, { callOf }: ModelTool, approval: Approval) {
  return async (
    input: unknown,
    { toolCallId, messages }: Pick<AskedCall, 'toolCallId' | 'messages'>,
  ): Promise<string | null> => {
    const call = callOf(input)
    return call && approval.needed(call, { toolName, toolCallId, input, messages })
  }
}

function asFailure(error: unknown, signal: AbortSignal | undefined): unknown {
  return signal?.aborted ? error : new ToolFailure(error)
}

/** The error of a call, with the text shown to a model: version 6 takes the message, version 7 `toString()`. */
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
 * A tool of an agent, as the SDK takes it. Where a person has to approve a call, the runtime's `interact` is asked.
 *
 * @param options `events`: those of the runtime, `runtime.globals.events`, from which the tool's progress becomes
 *   preliminary results
 */
export function toAiTool(
  agent: AgentRuntime,
  tool: ToolDef,
  options: { events?: RunEvents } = {},
): Tool<unknown, unknown> {
  return aiTool(tool.name, modelTool(agent, tool, options.events), null)
}
