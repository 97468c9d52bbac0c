import { AgentAppsError } from '../../src/base/error.js'
import { isJsonObject, type JsonObject } from '../../src/base/json.js'
import { type Awaitable, lazy, whenThere } from '../host/later.js'
import type { Chain } from '../state/chain.js'
import type { CallContext } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'

// Loaded when the first schema is needed: most of what a host does needs none.
const comparing = lazy(() => import('./compare-schema.js'))

/**
 * Validates a caller's arguments against the tool's `params`, and gives a copy with its defaults filled in.
 *
 * @throws ARGS_INVALID with one issue for each fault, SCHEMA_INVALID where `params` itself cannot be used
 */
export function checkArguments(
  tool: ToolDef,
  { body, schemas }: Chain,
  args: unknown,
  ctx: CallContext,
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
      hint: `Leave them out, or declare \`metadata.params\`. \`agent-apps describe ${tool.name}\` shows the tool.`,
      modelHint: 'Call it again without arguments.',
      tool: tool.name,
    })
  }
  // Whoever calls without arguments means none of them, wherever the tool takes an object.
  const given = args === undefined && (params.type ?? 'object') === 'object' ? {} : args
  return whenThere(comparing(), ({ compare, resolve }) =>
    compare(tool, 'params', resolve('params', params, ctx), given, ctx),
  )
}

/** The schema that a tool's result must match, from here on in `ctx.run`; undefined without one. */
export function resolveReturns(
  tool: ToolDef,
  { schemas }: Chain,
  ctx: CallContext,
): Awaitable<JsonObject | undefined> {
  const { returns = schemas?.returns } = tool.frontmatter
  return returns && whenThere(comparing(), ({ resolve }) => resolve('returns', returns, ctx))
}

/**
 * Checks a tool's result against its resolved `returns`, and returns it. The text of a Markdown skill is not
 * checked: there, `returns` describes what the reader makes of it.
 *
 * @throws RESULT_INVALID with one issue for each fault, SCHEMA_INVALID where `returns` itself cannot be used
 */
export function checkResult(
  tool: ToolDef,
  chain: Chain,
  returns: JsonObject | undefined,
  result: unknown,
  ctx: CallContext,
): unknown | Promise<unknown> {
  return returns === undefined || (typeof result === 'string' && isText(tool, chain))
    ? result
    : whenThere(comparing(), ({ compare }) =>
        compare(tool, 'returns', returns, result, ctx).then(() => result),
      )
}

/** True for a tool that is text: Markdown that no model runs without a delegate, or with Markdown as its delegate. */
function isText(tool: ToolDef, { body = tool }: Chain): boolean {
  const { delegate: named, agent } = body.frontmatter.metadata
  if (typeof named !== 'string') return tool.kind !== 'code' && !agent
  const { delegate } = sourceOf(body)?.record ?? {}
  return delegate !== undefined && 'markdown' in delegate
}
