import { AgentAppsError } from '../src/error.js'
import { isJsonObject } from '../src/json.js'
import { whenThere } from '../src/thenable.js'
import type { Chain } from './chain.js'
import type { Context } from './context.js'
import { lazy } from './lazy.js'
import type { ToolDef } from './tool-def.js'

// Loaded when the first schema is needed: most of what a host does needs none.
const comparing = lazy(() => import('./compare-schema.js'))

/**
 * What a tool gets of a caller's arguments: a copy, compared with the tool's `params` and with its defaults filled in.
 *
 * @throws ARGS_INVALID with one issue for each fault, SCHEMA_INVALID where `params` itself cannot be used
 */
export function checkArguments(
  tool: ToolDef,
  { body, schemas }: Chain,
  args: unknown,
  ctx: Context,
): unknown | Promise<unknown> {
  const { params = schemas?.params, metadata, role } = tool.frontmatter
  if (params === undefined) {
    // Whose body is another tool takes what that takes; a middleware takes its configuration.
    const isDelegate = body !== undefined || typeof metadata.delegate === 'string'
    // The code of a delegate may destructure what it gets.
    if (isDelegate) return args === undefined ? {} : args
    const isEmpty = args === undefined || (isJsonObject(args) && Object.keys(args).length === 0)
    if (isEmpty || role === 'middleware') return args
    throw new AgentAppsError('ARGS_INVALID', `The tool "${tool.name}" takes no arguments.`, {
      hint: 'Leave them out, or declare `metadata.params`.',
      tool: tool.name,
    })
  }
  // Whoever calls without arguments means none of them, wherever the tool takes an object.
  const given = args === undefined && (params.type ?? 'object') === 'object' ? {} : args
  return whenThere(comparing(), ({ compare }) => compare(tool, 'params', params, given, ctx))
}

/**
 * Compares what a tool gave with its `returns`, and gives it back.
 *
 * @throws RESULT_INVALID with one issue for each fault, SCHEMA_INVALID where `returns` itself cannot be used
 */
export function checkResult(
  tool: ToolDef,
  { schemas }: Chain,
  result: unknown,
  ctx: Context,
): unknown | Promise<unknown> {
  const { returns = schemas?.returns } = tool.frontmatter
  return returns === undefined
    ? result
    : whenThere(comparing(), ({ compare }) =>
        compare(tool, 'returns', returns, result, ctx).then(() => result),
      )
}
