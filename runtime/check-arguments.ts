import { AgentAppsError } from '../src/error.js'
import { isJsonObject } from '../src/json.js'
import type { Context } from './context.js'
import type { ToolDef } from './tool-def.js'

/**
 * What a tool gets of the arguments that it is called with, which are a copy already.
 *
 * @throws ARGS_INVALID
 */
export function checkArguments(tool: ToolDef, args: unknown, _ctx: Context): unknown | Promise<unknown> {
  const { params, metadata } = tool.frontmatter
  // Whose body is another tool takes what that takes.
  const takesNone = params === undefined && metadata.delegate === undefined
  if (takesNone && args !== undefined && !(isJsonObject(args) && Object.keys(args).length === 0)) {
    throw new AgentAppsError('ARGS_INVALID', `The tool "${tool.name}" takes no arguments.`, {
      hint: 'Leave them out, or declare `metadata.params`.',
      tool: tool.name,
    })
  }
  return args
}

/** What a caller gets of a tool's result. */
export function checkResult(_tool: ToolDef, result: unknown, _ctx: Context): unknown | Promise<unknown> {
  return result
}
