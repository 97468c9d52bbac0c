import type { StructuredTool } from '@langchain/core/tools'
import {
  defineTool,
  isToolResult,
  type JsonObject,
  ToolRegistry as Registry,
  type Tool,
  type ToolPermission,
} from 'agent-apps'
import type { AgentRuntime, Runtime, ToolDef } from 'agent-apps/runtime'
import { isLibraryTool } from '../library-tools.js'
import { modelNames } from '../model-names.js'
import { type ModelTool, modelTool } from '../skill-tools/model-tool.js'
import { checkOptionsOf } from '../skill-tools/offer-options.js'
import { onlyText, shownResult } from '../skill-tools/shown.js'
import { langchainTool } from './langchain-tool.js'
import type { ToolUse } from './skill-tools-options.js'

export interface RegistryToolsOptions {
  /** The data that each tool of the registry is initialised with, the first time. */
  initCtx?: Tool.InitContext | undefined
  /** A runtime whose tools are given as well, those of its workspace among them. */
  runtime?: Runtime | undefined
  /**
   * Only tools that require none but these. Default: all of the registry, and of the runtime those whose permissions its
   * policy grants.
   */
  permissions?: readonly ToolPermission[] | undefined
  /** The context of a call. What it leaves out is empty, but for the call's id and its signal, and the thread's id. */
  createContext?: ((toolId: string, callId: string | undefined) => Partial<Tool.Context>) | undefined
  /** Called with what a tool gave, before the model is shown it. */
  onToolResult?: ((result: Tool.Result, use: ToolUse) => void) | undefined
}

/** A tool that LangChain is to be given. */
interface Source {
  tool: ModelTool & { runs: string }
  /** The objects that it is made of: while they are the same, so is LangChain's tool. */
  of: readonly object[]
}

/** The process's tools with an id, which LangChain can be given. */
export const ToolRegistry = { ...Registry, tools, execute }

/** The last one that `tools` was given. */
let listener: RegistryToolsOptions['onToolResult']

/**
 * All tools of the registry for LangChain, initialised, and those of a runtime that run something, each name once. The
 * same options give the same objects. Tools of the registry run for the host, which answers for them: no policy is asked.
 * Those of the runtime are called by an agent.
 *
 * @throws OPTIONS_INVALID; what a tool's `init` throws
 */
async function tools(options: RegistryToolsOptions = {}): Promise<StructuredTool[]> {
  const { initCtx, runtime, permissions, createContext, onToolResult } = options
  const known = ['initCtx', 'runtime', 'permissions', 'createContext', 'onToolResult']
  checkOptionsOf('ToolRegistry.tools').keys(options, known)
  const infos = permissions ? Registry.enabled(permissions) : Registry.list()
  const own = await Promise.all(infos.map(info => ownTool(info, initCtx, createContext)))
  const more = runtime ? await runtimeTools(runtime, permissions, createContext) : []
  const all = [...own, ...more]
  const ids = all.map(({ tool }) => tool.runs)
  const names = await modelNames(ids, [])
  listener = onToolResult ?? listener
  return all.map(({ tool, of }) => {
    const name = names.get(tool.runs) ?? tool.runs
    return kept(name, [...of, createContext ?? NONE, onToolResult ?? NONE], () =>
      langchainTool(name, tool, {
        onToolResult: (result, use) => onToolResult?.(resultOf(tool.runs, result), use),
      }),
    )
  })
}

/**
 * Runs a tool of the registry for the host, as `ToolRegistry` of `agent-apps` does, and calls the `onToolResult` that
 * `tools` was given last.
 *
 * @throws TOOL_NOT_FOUND; ARGS_INVALID; and what the tool throws
 */
async function execute(id: string, args: unknown, ctx: Partial<Tool.Context> = {}): Promise<Tool.Result> {
  const result = await Registry.execute(id, args, ctx)
  listener?.(result, { tool: id, args, callId: ctx.callID })
  return result
}

async function ownTool(
  info: Tool.Info,
  initCtx: Tool.InitContext | undefined,
  createContext: RegistryToolsOptions['createContext'],
): Promise<Source> {
  const { id } = info
  const definition = await Registry.init(id, initCtx)
  const { description, parameters } = definition
  // For its schema alone: the registry runs it.
  const defined = defineTool({ name: id, description, params: parameters, execute: () => undefined })
  const { metadata } = await defined.frontmatter()
  const tool: Source['tool'] = {
    runs: id,
    description,
    schema: (metadata as { params: JsonObject }).params,
    callOf: () => null,
    run: (input, { callId, sessionId, signal }) =>
      Registry.execute(id, input, {
        ...(callId !== undefined && { callID: callId }),
        ...(sessionId !== undefined && { sessionID: sessionId }),
        ...(signal && { abort: signal }),
        ...createContext?.(id, callId),
      }),
    show: shownResult,
  }
  return { tool, of: [info, definition] }
}

/** The tools that a runtime offers an agent; a name that the registry has is the registry's. */
async function runtimeTools(
  runtime: Runtime,
  permissions: readonly ToolPermission[] | undefined,
  createContext: RegistryToolsOptions['createContext'],
): Promise<Source[]> {
  const agent = agentOf(runtime, permissions)
  const { tools } = await agent.offer()
  return tools
    .filter(tool => tool.runs && !isLibraryTool(tool) && !Registry.get(tool.name))
    .map(tool => runtimeTool(runtime, agent, tool, createContext))
}

function runtimeTool(
  { globals: { events } }: Runtime,
  agent: AgentRuntime,
  tool: ToolDef,
  createContext: RegistryToolsOptions['createContext'],
): Source {
  const { name, frontmatter } = tool
  const run: ModelTool['run'] = (input, options) => {
    const { sessionID, messageID, agent: agentId, abort } = createContext?.(name, options.callId) ?? {}
    return agent.invoke(name, input, {
      ...options,
      sessionId: sessionID || options.sessionId,
      messageId: messageID || undefined,
      agentId: agentId || undefined,
      signal: abort ?? options.signal,
    })
  }
  // Its metadata is another object once its code was asked for it.
  return {
    tool: { ...modelTool(agent, tool, events), runs: name, run },
    of: [agent, tool, frontmatter.metadata],
  }
}

const agents = new WeakMap<Runtime, Map<string, AgentRuntime>>()

/** One agent for the same permissions, as the tools that it calls are kept. */
function agentOf(runtime: Runtime, permissions: readonly ToolPermission[] | undefined): AgentRuntime {
  const known = agents.get(runtime) ?? new Map<string, AgentRuntime>()
  agents.set(runtime, known)
  const key = JSON.stringify(permissions && [...new Set(permissions)].sort())
  const agent = known.get(key) ?? runtime.forAgent({ permissions })
  known.set(key, agent)
  return agent
}

/** A tool's result in the form of the registry's tools. */
function resultOf(tool: string, result: unknown): Tool.Result {
  if (isToolResult(result)) return result as Tool.Result
  return { title: tool, metadata: { result }, output: onlyText(shownResult(result)) ?? '' }
}

/** Tools that were made, by the objects that they are made of, and by their names. They last no longer than these. */
interface Kept {
  tools: Map<string, StructuredTool>
  next: WeakMap<object, Kept>
}

const root = nothingKept()
/** In the place of a function that was not given. */
const NONE = {}

function kept(name: string, of: readonly object[], make: () => StructuredTool): StructuredTool {
  let { tools, next } = root
  for (const one of of) {
    const found = next.get(one) ?? nothingKept()
    next.set(one, found)
    ;({ tools, next } = found)
  }
  const tool = tools.get(name) ?? make()
  tools.set(name, tool)
  return tool
}

function nothingKept(): Kept {
  return { tools: new Map(), next: new WeakMap() }
}
