import { disk } from '#disk'
import { AgentAppsError, toolBroken } from '../src/error.js'
import { nearest } from '../src/nearest.js'
import { checkArguments, checkResult } from './check-arguments.js'
import type { Context } from './context.js'
import { askIndex, directoryStates } from './directory-state.js'
import { resolve } from './find-tool.js'
import { defaultGlobals, type Globals } from './globals.js'
import type { ToolDef } from './tool-def.js'

/**
 * Runs a tool. A Markdown skill gives its content.
 *
 * @throws TOOL_NOT_FOUND, TOOL_BROKEN, ARGS_INVALID, RESULT_INVALID, SCHEMA_INVALID
 */
export async function invoke(
  ref: string,
  args?: unknown,
  globals: Globals = defaultGlobals(),
): Promise<unknown> {
  const tool = await requireTool(ref, globals)
  const context: Context = {
    args,
    globals,
    run: { tool: { name: tool.name, def: tool } },
    manager: { invoke: (other, otherArgs) => invoke(other, otherArgs, globals) },
  }
  const checked = await checkArguments(tool, args, context)
  context.args = checked
  return checkResult(tool, await tool.fn(context, checked), context)
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
