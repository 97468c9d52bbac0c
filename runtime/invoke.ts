import { disk } from '#disk'
import { AgentAppsError, toolBroken } from '../src/error.js'
import { isJsonObject } from '../src/json.js'
import { nearest } from '../src/nearest.js'
import type { Context } from './context.js'
import { askIndex, directoryStates } from './directory-state.js'
import { resolve } from './find-tool.js'
import { defaultGlobals, type Globals } from './globals.js'
import type { ToolDef } from './tool-def.js'

/** Calls inside calls, where the configuration does not say how many. */
const MAX_DEPTH = 64

/**
 * Runs a tool. A Markdown skill gives its content.
 *
 * @throws TOOL_NOT_FOUND, TOOL_BROKEN; ARGS_INVALID where a tool without `params` is given some; DEPTH_EXCEEDED
 */
export function invoke(ref: string, args?: unknown, globals: Globals = defaultGlobals()): Promise<unknown> {
  return invokeFrom(undefined, ref, args, globals)
}

async function invokeFrom(
  caller: Context | undefined,
  ref: string,
  args: unknown,
  globals: Globals,
): Promise<unknown> {
  const tool = await requireTool(ref, globals)
  const { params, metadata } = tool.frontmatter
  // Whose body is another tool takes what that takes.
  const takesNone = params === undefined && metadata.delegate === undefined
  if (takesNone && args !== undefined && !(isJsonObject(args) && Object.keys(args).length === 0)) {
    throw new AgentAppsError('ARGS_INVALID', `The tool "${tool.name}" takes no arguments.`, {
      hint: 'Leave them out, or declare `metadata.params`.',
      tool: tool.name,
    })
  }
  return tool.fn(contextFor(tool, args, globals, caller), args)
}

/**
 * What a tool is called with.
 *
 * @throws DEPTH_EXCEEDED, with the names on the way, so that tools which call each other in a circle end
 */
export function contextFor(tool: ToolDef, args: unknown, globals: Globals, caller?: Context): Context {
  const depth = caller ? caller.envelope.depth + 1 : 0
  const context: Context = {
    args,
    globals,
    run: { tool: { name: tool.name, def: tool } },
    envelope: { depth, ...(caller && { caller }) },
    manager: { invoke: (other, otherArgs) => invokeFrom(context, other, otherArgs, globals) },
  }
  const { maxDepth = MAX_DEPTH } = globals.config
  if (depth < maxDepth) return context
  const names: string[] = []
  for (let at: Context | undefined = context; at; at = at.envelope.caller) names.unshift(at.run.tool.name)
  throw new AgentAppsError(
    'DEPTH_EXCEEDED',
    `Tools call each other more than ${maxDepth} deep: ${names.join(' → ')}.`,
    { hint: 'End the circle of calls, or raise `maxDepth`.', tool: tool.name },
  )
}

/** The tool that a reference leads to. Throws TOOL_NOT_FOUND or TOOL_BROKEN where there is none. */
export async function requireTool(ref: string, globals: Globals): Promise<ToolDef> {
  const resolution = await resolve(ref, globals)
  if (resolution?.tool) return resolution.tool
  if (resolution?.broken) throw toolBroken(ref, resolution.broken)
  const near = nearest(ref, knownNames(globals))
  throw new AgentAppsError('TOOL_NOT_FOUND', `There is no tool ${JSON.stringify(ref)}.`, {
    hint: near === null ? 'See `agent-apps list` for those there are.' : `Did you mean "${near}"?`,
    tool: ref,
  })
}

/** The names of all directories, as far as they have been read. */
function knownNames(globals: Globals): string[] {
  const host = disk
  if (host === null) return []
  return directoryStates(globals, host).flatMap(
    state => askIndex(state, globals, host, index => index.names()) ?? state.diskNames?.names() ?? [],
  )
}
