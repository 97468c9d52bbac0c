import { defineField } from '../../src/base/define-field.js'
import type { InterpolationRoots } from '../../src/content/interpolate.js'
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

/** The variables of the environment that the configuration lets through: never all of it. */
function allowedEnvironment(names: readonly string[] = []): Record<string, string | undefined> {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return Object.fromEntries(names.map(name => [name, process?.env?.[name]]))
}

/** A context's fields as own properties, which paths need. What costs time is made when a path names it. */
export function contextFields(ctx: Context) {
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

/** All that can be seen in it, its own and its callers'. */
function flattened(nonlocals: Record<string, unknown>): Record<string, unknown> {
  const all = {}
  for (const key in nonlocals) defineField(all, key, nonlocals[key])
  return all
}
