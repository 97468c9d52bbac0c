import { AgentAppsError } from '../../src/base/error.js'
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json.js'
import { notJson } from '../../src/values/not-json.js'
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

/** Levels of objects and arrays, and values, where one that stands in several places counts each time. */
const DEPTH_MAX = 1_000
const VALUES_MAX = 1_000_000

/**
 * An agent's arguments, of which the caller's own were copied, as plain JSON: what a person approves is then
 * all that the tool gets.
 *
 * @throws ARGS_INVALID for anything that JSON does not have
 */
export function plainArguments({ name }: ToolDef, given: unknown): JsonValue | undefined {
  if (given === undefined) return undefined
  const copier = new JsonCopier()
  try {
    return copier.copy(given)
  } catch (error) {
    if (!(error instanceof NotPlain)) throw error
    const at = copier.trail.length === 0 ? '' : ` at ${JSON.stringify(copier.trail.join('.'))}`
    throw new AgentAppsError('ARGS_INVALID', `The arguments of "${name}" hold ${error.message}${at}.`, {
      hint: 'An agent gives plain JSON: objects, arrays, strings, finite numbers, true, false and null.',
      tool: name,
    })
  }
}

/** A copy of plain arguments that a tool may change. */
export function copyOfPlain(value: unknown): unknown {
  return value === undefined ? undefined : new JsonCopier().copy(value)
}

class NotPlain extends Error {}

class JsonCopier {
  /** The keys that lead to the value that is being copied. */
  readonly trail: string[] = []
  readonly #around = new Set<object>()
  #left = VALUES_MAX

  copy(value: unknown): JsonValue {
    const what = value === undefined ? 'undefined' : notJson(value)
    if (what !== null) throw new NotPlain(what)
    if (typeof value !== 'object' || value === null) return value as JsonValue
    if (this.#around.has(value)) throw new NotPlain('an object that holds itself')
    if (this.trail.length > DEPTH_MAX) throw new NotPlain(`more than ${DEPTH_MAX} levels`)
    this.#around.add(value)
    const copy = Array.isArray(value) ? this.#array(value) : this.#object(value)
    this.#around.delete(value)
    return copy
  }

  #array(items: readonly unknown[]): JsonValue[] {
    const copy: JsonValue[] = []
    for (let index = 0; index < items.length; index++) copy.push(this.#inside(String(index), items[index]))
    return copy
  }

  /** Without what is undefined, as JSON has it. Keys become properties of its own, whatever they are. */
  #object(object: object): JsonValue {
    const entries: [string, JsonValue][] = []
    for (const [key, item] of Object.entries(object))
      if (item !== undefined) entries.push([key, this.#inside(key, item)])
    return Object.fromEntries(entries)
  }

  #inside(key: string, item: unknown): JsonValue {
    if (--this.#left < 0) throw new NotPlain(`more than ${VALUES_MAX} values`)
    this.trail.push(key)
    const copy = this.copy(item)
    this.trail.pop()
    return copy
  }
}

/** Freezes the objects and arrays of copied arguments, at any depth; class instances are the caller's. */
export function freezeArguments(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  if (Array.isArray(value)) {
    Object.freeze(value)
    for (const item of value) freezeArguments(item)
  } else if (Object.getPrototypeOf(value) === Object.prototype) {
    Object.freeze(value)
    for (const key in value) freezeArguments((value as Record<string, unknown>)[key])
  }
  return value
}
