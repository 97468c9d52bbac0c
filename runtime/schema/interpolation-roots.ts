import { defineField, isJsonObject, type JsonObject } from '../../src/base/json.js'
import { type InterpolationRoots, interpolate } from '../../src/content/interpolate.js'
import { pathGet } from '../../src/values/path-expression.js'
import type { Context, Run } from '../state/context.js'

/** The values that a `${…}` can name in a context. */
export function interpolationRoots(ctx: Context): InterpolationRoots {
  const { args, locals, globals } = ctx
  return {
    args,
    locals,
    get nonlocals() {
      return flattened(ctx.nonlocals)
    },
    get run() {
      return runFields(ctx.run)
    },
    config: globals.config,
    get env() {
      return allowedEnvironment(globals.config.env)
    },
  }
}

/** The environment variables that the configuration allows. */
function allowedEnvironment(names: readonly string[] = []): Record<string, string | undefined> {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return Object.fromEntries(names.map(name => [name, process?.env?.[name]]))
}

/** A context's fields as own properties, which paths need. Expensive ones are computed when a path reads them. */
function contextFields(ctx: Context) {
  const { args, locals, globals } = ctx
  return {
    args,
    locals,
    get nonlocals() {
      return flattened(ctx.nonlocals)
    },
    get run() {
      return runFields(ctx.run)
    },
    globals,
    get envelope() {
      return ctx.envelope
    },
  }
}

function runFields({ id, tool, index, origin }: Run) {
  return { id, tool, index, origin }
}

/** All visible values: its own and its callers'. */
function flattened(nonlocals: Record<string, unknown>): Record<string, unknown> {
  const all = {}
  for (const key in nonlocals) defineField(all, key, nonlocals[key])
  return all
}

/** Fills the `${…}` in a middleware's configuration in from the context that it serves. */
export function interpolateArguments(args: unknown, ctx: Context): unknown {
  return interpolate(args, interpolationRoots(ctx))
}

/**
 * Returns the object that a schema's `$resolve`, a path expression, finds in a context; else the schema
 * itself.
 *
 * @throws PATH_INVALID
 */
export function resolveJsonSchema(schema: JsonObject, ctx: Context): JsonObject
export function resolveJsonSchema(schema: JsonObject | undefined, ctx: Context): JsonObject | undefined
export function resolveJsonSchema(schema: JsonObject | undefined, ctx: Context): JsonObject | undefined {
  if (!schema || typeof schema.$resolve !== 'string') return schema
  const found = pathGet(contextFields(ctx), schema.$resolve)
  return isJsonObject(found) ? found : schema
}
