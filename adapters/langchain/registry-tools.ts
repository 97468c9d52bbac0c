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
import { checkOptionsOf } from '../check-options.js'
import { isLibraryTool } from '../library-tools.js'
import { modelNames } from '../model-names.js'
import { type ModelTool, modelTool } from '../skill-tools/model-tool.js'
import { onlyText, shownResult } from '../skill-tools/shown.js'
import { langchainTool } from './langchain-tool.js'
import type { ToolUse } from './skill-tools-options.js'

/** The options of `ToolRegistry.tools`. */
export interface RegistryToolsOptions {
  /** The data for the first `init` of each tool of the registry. */
  initCtx?: Tool.InitContext | undefined
  /** A runtime whose tools are included, with those of its workspace. */
  runtime?: Runtime | undefined
  /**
   * The granted permissions. Tools that require others are left out. Default: for the registry, all; for the runtime, those
   * that its policy grants.
   */
  permissions?: readonly ToolPermission[] | undefined
  /** Creates the context of a call. Missing fields are empty, except the ids of call and thread, and the signal. */
  createContext?: ((toolId: string, callId: string | undefined) => Partial<Tool.Context>) | undefined
  /** Called with each tool's result before the model gets it. */
  onToolResult?: ((result: Tool.Result, use: ToolUse) => void) | undefined
}

interface Source {
  tool: ModelTool & { runs: string }
  /** The objects that it is made from: as long as they stay the same, so does LangChain's tool. */
  of: readonly object[]
}

/** The registry of the process's tools, which also makes tools for LangChain. */
export const ToolRegistry: typeof Registry & { tools: typeof tools } = { ...Registry, tools, execute }

/** The `onToolResult` of the last call of `tools`. */
let listener: RegistryToolsOptions['onToolResult']

/**
 * All tools of the registry for LangChain, initialised, and the tools of a runtime that run code, each name once. Equal
 * options return the same objects. The host is responsible for tools of the registry, which no policy limits. Tools of the
 * runtime are called by an agent.
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
 * Runs a tool of the registry for the host, as `ToolRegistry` of `agent-apps` does, and calls the `onToolResult` of the last
 * call of `tools`.
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
  // Only for its schema: the registry runs it.
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

/** The tools that a runtime offers an agent, without names that the registry has. */
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
  // `metadata` is replaced once the tool's code has provided it.
  return {
    tool: { ...modelTool(agent, tool, events), runs: name, run },
    of: [agent, tool, frontmatter.metadata],
  }
}

const agents = new WeakMap<Runtime, Map<string, AgentRuntime>>()

/** One agent for the same permissions, so that its tools stay the same. */
function agentOf(runtime: Runtime, permissions: readonly ToolPermission[] | undefined): AgentRuntime {
  const known = agents.get(runtime) ?? new Map<string, AgentRuntime>()
  agents.set(runtime, known)
  const key = JSON.stringify(permissions && [...new Set(permissions)].sort())
  const agent = known.get(key) ?? runtime.forAgent({ permissions })
  known.set(key, agent)
  return agent
}

/** A tool's result in the form of the registry. */
function resultOf(tool: string, result: unknown): Tool.Result {
  if (isToolResult(result)) return result as Tool.Result
  return { title: tool, metadata: { result }, output: onlyText(shownResult(result)) ?? '' }
}

/** The tools made so far, by the objects that they are made from, and by name. They live no longer than these. */
interface Kept {
  tools: Map<string, StructuredTool>
  next: WeakMap<object, Kept>
}

const root = nothingKept()
/** Stands for a missing function. */
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
