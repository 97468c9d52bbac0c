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
 * Checks arguments against the tool's `params`, and returns a copy with defaults filled in.
 *
 * @throws ARGS_INVALID with one issue for each fault, SCHEMA_INVALID if `params` itself is invalid
 */
export function checkArguments(
  tool: ToolDef,
  { body, schemas }: Chain,
  args: unknown,
  ctx: CallContext,
): unknown | Promise<unknown> {
  const { params = schemas?.params, metadata, role } = tool.frontmatter
  if (params === undefined) {
    // A delegate takes the arguments of its target; a middleware takes its configuration.
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
  // A call without arguments gives an empty object to a tool that takes one.
  const given = args === undefined && (params.type ?? 'object') === 'object' ? {} : args
  return whenThere(comparing(), ({ compare, resolve }) =>
    compare(tool, 'params', resolve('params', params, ctx), given, ctx),
  )
}

/** Resolves the schema of the tool's result, and sets it in `ctx.run`. */
export function resolveReturns(
  tool: ToolDef,
  { schemas }: Chain,
  ctx: CallContext,
): Awaitable<JsonObject | undefined> {
  const { returns = schemas?.returns } = tool.frontmatter
  return returns && whenThere(comparing(), ({ resolve }) => resolve('returns', returns, ctx))
}

/**
 * Checks a tool's result against its resolved `returns`, and returns it. The text of a Markdown skill is not checked:
 * there, `returns` describes the result of following it.
 *
 * @throws RESULT_INVALID with one issue for each fault, SCHEMA_INVALID if `returns` itself is invalid
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

/** True for Markdown that is returned as text: without a model or delegate, or with a delegate that is Markdown. */
function isText(tool: ToolDef, { body = tool }: Chain): boolean {
  const { delegate: named, agent } = body.frontmatter.metadata
  if (typeof named !== 'string') return tool.kind !== 'code' && !agent
  const { delegate } = sourceOf(body)?.record ?? {}
  return delegate !== undefined && 'markdown' in delegate
}

/** A value that occurs several times counts each time. */
const DEPTH_MAX = 1_000
const VALUES_MAX = 1_000_000

/**
 * Copies an agent's arguments as plain JSON, so that the tool gets exactly what a person approves.
 *
 * @throws ARGS_INVALID for a value that is not JSON
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

/** Copies plain arguments, so that a tool may change them. */
export function copyOfPlain(value: unknown): unknown {
  return value === undefined ? undefined : new JsonCopier().copy(value)
}

class NotPlain extends Error {}

class JsonCopier {
  /** The keys of the path to the value that is being copied. */
  readonly trail: string[] = []
  readonly #around = new Set<object>()
  #left = VALUES_MAX

  copy(value: unknown): JsonValue {
    const what = value === undefined ? 'undefined' : notJson(value)
    if (what !== null) throw new NotPlain(what)
    if (typeof value !== 'object' || value === null) return value as JsonValue
    if (this.#around.has(value)) throw new NotPlain('a circular reference')
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

  /** Leaves out undefined values, as JSON does. `fromEntries` makes own properties even of keys like `__proto__`. */
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
