import type { StructuredTool } from '@langchain/core/tools'
import { defineTool, type JsonObject, ToolRegistry as Registry, type Tool } from 'agent-apps'
import { modelNames } from '../model-names.js'
import type { ModelTool } from '../skill-tools/model-tool.js'
import { checkOptionsOf } from '../skill-tools/offer-options.js'
import { shownResult } from '../skill-tools/shown.js'
import { langchainTool } from './langchain-tool.js'
import type { ToolUse } from './skill-tools-options.js'

export interface RegistryToolsOptions {
  /** What each tool is initialised with, the first time. */
  initCtx?: Tool.InitContext | undefined
  /** The context of a call. What it leaves out is empty, but for the call's id and its signal. */
  createContext?: ((toolId: string, callId: string | undefined) => Partial<Tool.Context>) | undefined
  /** Called with what a tool gave, before the model is shown it. */
  onToolResult?: ((result: Tool.Result, use: ToolUse) => void) | undefined
}

/** The process's tools with an id, which LangChain can be given. */
export const ToolRegistry = { ...Registry, tools }

/**
 * All tools of the registry for LangChain, initialised. They run for the host, which answers for them: no policy is
 * asked.
 *
 * @throws OPTIONS_INVALID; what a tool's `init` throws
 */
async function tools(options: RegistryToolsOptions = {}): Promise<StructuredTool[]> {
  const { initCtx, createContext, onToolResult } = options
  checkOptionsOf('ToolRegistry.tools').keys(options, ['initCtx', 'createContext', 'onToolResult'])
  const ids = Registry.list().map(({ id }) => id)
  const names = await modelNames(ids, [])
  return Promise.all(
    ids.map(async id => {
      const definition = await Registry.init(id, initCtx)
      const tool = await modelTool(id, definition, createContext)
      return langchainTool(names.get(id) ?? id, tool, {
        onToolResult: (result, use) => onToolResult?.(result as Tool.Result, use),
      })
    }),
  )
}

async function modelTool(
  id: string,
  { description, parameters }: Tool.Definition,
  createContext: RegistryToolsOptions['createContext'],
): Promise<ModelTool> {
  // For its schema alone: the registry runs it.
  const defined = defineTool({ name: id, description, params: parameters, execute: () => undefined })
  const { metadata } = await defined.frontmatter()
  return {
    runs: id,
    description,
    schema: (metadata as { params: JsonObject }).params,
    callOf: () => null,
    run: (input, { callId, signal }) =>
      Registry.execute(id, input, {
        ...(callId !== undefined && { callID: callId }),
        ...(signal && { abort: signal }),
        ...createContext?.(id, callId),
      }),
    show: shownResult,
  }
}
