import { type MessageContent, ToolMessage } from '@langchain/core/messages'
import { DynamicStructuredTool, type StructuredTool, type ToolRunnableConfig } from '@langchain/core/tools'
import { failureForModel } from 'agent-apps'
import type { CallOptions, ModelTool } from '../skill-tools/model-tool.js'
import type { ShownPart } from '../skill-tools/shown.js'
import { onlyText, type Shown } from '../skill-tools/shown.js'
import { withUpdates } from '../skill-tools/with-updates.js'
import type { SkillToolsOptions } from './skill-tools-options.js'

/**
 * LangChain's tool for what a model calls.
 *
 * @param callIdOf the id by which the runtime knows a call of a session; undefined for a call that may have none
 */
export function langchainTool(
  name: string,
  tool: ModelTool,
  { policy, onToolResult }: SkillToolsOptions,
  callIdOf: (session: string | undefined, id: string) => string | undefined = (_, id) => id,
): StructuredTool {
  const { description = '', schema, run, runs, show, events } = tool
  return new UncheckedTool({
    name,
    description,
    schema,
    async *func(input: unknown, _manager: unknown, config?: ToolRunnableConfig) {
      const { id } = config?.toolCall ?? {}
      const sessionId = policy?.sessionId ?? threadOf(config?.configurable)
      const callId = id === undefined ? undefined : callIdOf(sessionId, id)
      const options: CallOptions = {
        ...(callId !== undefined && { callId }),
        ...(sessionId !== undefined && { sessionId }),
        ...(config?.signal && { signal: config.signal }),
      }
      let result: unknown
      try {
        result = yield* withUpdates(events, options.callId, () => run(input, options))
      } catch (error) {
        // Code that calls the tool itself gets the error; what ends or interrupts the graph is none of the model's.
        if (id === undefined || config?.signal?.aborted || isBubbling(error)) throw error
        const content = JSON.stringify(failureForModel(error))
        return new ToolMessage({ name, tool_call_id: id, content, status: 'error' })
      }
      if (runs !== null) onToolResult?.(result, { tool: runs, args: input, callId: id })
      const shown = show(result)
      const content = messageContent(shown)
      if (id === undefined) return content
      const status = shown.isFailure ? 'error' : 'success'
      return new ToolMessage({
        name,
        tool_call_id: id,
        content,
        status,
        ...(runs !== null && { artifact: result }),
      })
    },
  })
}

/** True for what LangGraph throws to stop a graph, such as an interrupt. */
export function isBubbling(error: unknown): boolean {
  return (error as { is_bubble_up?: unknown } | null | undefined)?.is_bubble_up === true
}

/** A shown result as the content of a message. */
function messageContent(shown: Shown): MessageContent {
  return onlyText(shown) ?? shown.parts.map(contentBlock)
}

function contentBlock(part: ShownPart) {
  if (part.type === 'text') return part
  const { data, mediaType, filename } = part
  const [kind = ''] = mediaType.split('/')
  return {
    type: ['image', 'audio', 'video'].includes(kind) ? kind : 'file',
    mimeType: mediaType,
    data,
    ...(filename !== undefined && { metadata: { filename } }),
  }
}

type Schema = Record<string, unknown>

/** A tool whose arguments LangChain passes on as they are: agent-apps checks them, and tells the model what is wrong. */
class UncheckedTool extends DynamicStructuredTool<Schema, unknown, unknown> {
  override call: DynamicStructuredTool<Schema, unknown, unknown>['call'] = (arg, config, tags) => {
    // The model was told the tool's schema; LangChain compares with this one, which anything fits.
    const unchecked = Object.create(this, { schema: { value: {} } }) as UncheckedTool
    return DynamicStructuredTool.prototype.call.call(
      unchecked,
      arg as never,
      config as ToolRunnableConfig,
      tags,
    )
  }
}

/** The id of the conversation that a call belongs to, as LangGraph's configuration has it. */
export function threadOf(configurable: Record<string, unknown> | undefined): string | undefined {
  const { thread_id: id } = configurable ?? {}
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined
}

/**
 * The id of a call whose answer is kept: that of the model, and the thread, as some models number their calls from the
 * start in each.
 */
export function callIdIn(session: string | undefined, id: string): string {
  return session === undefined ? id : `${session}:${id}`
}
