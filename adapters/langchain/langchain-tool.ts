import { type MessageContent, ToolMessage } from '@langchain/core/messages'
import { DynamicStructuredTool, type StructuredTool, type ToolRunnableConfig } from '@langchain/core/tools'
import { failureForModel } from 'agent-apps'
import type { CallOptions, ModelTool } from '../skill-tools/model-tool.js'
import type { ShownPart } from '../skill-tools/shown.js'
import { onlyText } from '../skill-tools/shown.js'
import { withUpdates } from '../skill-tools/with-updates.js'
import type { SkillToolsOptions } from './skill-tools-options.js'

/**
 * LangChain's form of a model's tool.
 *
 * @param callIdOf maps a session and the model's call id to the id for the runtime; undefined for no id
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
        // Code that calls the tool directly gets the error. The model gets no error that ends or interrupts the graph.
        if (id === undefined || config?.signal?.aborted || isBubbling(error)) throw error
        const content = JSON.stringify(failureForModel(error))
        return new ToolMessage({ name, tool_call_id: id, content, status: 'error' })
      }
      if (runs !== null) onToolResult?.(result, { tool: runs, args: input, callId: id })
      const shown = show(result)
      const content: MessageContent = onlyText(shown) ?? shown.parts.map(contentBlock)
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

/** True for LangGraph's own errors, such as an interrupt. */
export function isBubbling(error: unknown): boolean {
  return (error as { is_bubble_up?: unknown } | null | undefined)?.is_bubble_up === true
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

/** A tool whose arguments LangChain passes on unchecked: agent-apps validates them, and explains faults to the model. */
class UncheckedTool extends DynamicStructuredTool<Schema, unknown, unknown> {
  override call: DynamicStructuredTool<Schema, unknown, unknown>['call'] = (arg, config, tags) => {
    // The model sees the tool's schema; LangChain validates against this one.
    const unchecked = Object.create(this, { schema: { value: {} } }) as UncheckedTool
    return DynamicStructuredTool.prototype.call.call(
      unchecked,
      arg as never,
      config as ToolRunnableConfig,
      tags,
    )
  }
}

/** The thread of a call, from LangGraph's configuration. */
export function threadOf(configurable: Record<string, unknown> | undefined): string | undefined {
  const { thread_id: id } = configurable ?? {}
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined
}

/**
 * The id of a call whose answer is kept. It includes the thread, since some models number the calls of each thread from
 * the start.
 */
export function callIdIn(session: string | undefined, id: string): string {
  return session === undefined ? id : `${session}:${id}`
}
