import { ToolMessage } from '@langchain/core/messages'
import type { ClientTool, StructuredToolInterface } from '@langchain/core/tools'
import { toJsonSchema } from '@langchain/core/utils/json_schema'
import type { JsonObject, Runtime } from 'agent-apps'
import { checkOptionsOf } from '../check-options.js'
import { registerAll } from '../skill-tools/register-all.js'

/** The options of `registerLangChainTools`. */
export interface RegisterLangChainOptions {
  /** Put before each name. Default: nothing. */
  prefix?: string | undefined
}

/**
 * Registers tools of LangChain with a runtime, which then finds, checks and calls them like its own. All are registered, or
 * none. Returns a function that removes them again.
 *
 * @throws OPTIONS_INVALID; what `runtime.register` throws
 */
export function registerLangChainTools(
  runtime: Runtime,
  tools: readonly ClientTool[],
  options: RegisterLangChainOptions = {},
): () => void {
  checkOptionsOf('registerLangChainTools').keys(options, ['prefix'])
  const { prefix = '' } = options
  return registerAll(tools, tool => register(runtime, tool, prefix + tool.name))
}

function register(runtime: Runtime, tool: ClientTool, name: string): () => void {
  return runtime.register(
    {
      name,
      description: tool.description ?? tool.name,
      params: toJsonSchema(tool.schema as JsonObject) as JsonObject,
      execute: async (args, { callId = crypto.randomUUID(), signal }) => {
        const call = { type: 'tool_call' as const, id: callId, name: tool.name, args: args as JsonObject }
        return resultOf(name, await (tool as StructuredToolInterface).invoke(call, signal ? { signal } : {}))
      },
    },
    { validate: 'owner' },
  )
}

/** A LangChain tool's result as one of ours. */
function resultOf(name: string, output: unknown): unknown {
  if (!ToolMessage.isInstance(output)) return plain(name, output)
  const { content, artifact, status, text, contentBlocks } = output
  if (status === 'error') return { error: 'TOOL_FAILED', message: text }
  if (typeof content === 'string' && artifact === undefined) return content
  const attachments = contentBlocks.filter(({ type }) => type !== 'text')
  const metadata = artifact === undefined ? {} : { artifact }
  return { title: name, metadata, output: text, ...(attachments.length > 0 && { attachments }) }
}

/** Fails for a command to a graph, since there is none. */
function plain(name: string, output: unknown): unknown {
  if ((output as { lg_name?: unknown } | null | undefined)?.lg_name !== 'Command') return output
  return {
    error: 'TOOL_FAILED',
    message: `"${name}" returns a command to a graph, so only a graph can call it.`,
  }
}
