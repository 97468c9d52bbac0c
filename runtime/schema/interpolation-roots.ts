import type { InterpolationRoots } from '../../src/content/interpolate.js'
import type { Context, Run } from '../state/context.js'

/** The values that a `${…}` can name in a context. */
export function interpolationRoots(ctx: Context): InterpolationRoots {
  const fields = contextFields(ctx)
  return {
    get args() {
      return fields.args
    },
    get locals() {
      return fields.locals
    },
    get nonlocals() {
      return fields.nonlocals
    },
    get run() {
      return fields.run
    },
    get config() {
      return ctx.globals.config
    },
    get env() {
      return allowedEnvironment(ctx.globals.config.env)
    },
  }
}

/** The variables of the environment that the configuration lets through: never all of it. */
function allowedEnvironment(names: readonly string[] = []): Record<string, string | undefined> {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return Object.fromEntries(names.map(name => [name, process?.env?.[name]]))
}

/**
 * A context with its fields as own properties, as paths follow only those. Each is made when a path names it.
 */
export function contextFields(ctx: Context) {
  return {
    get args() {
      return ctx.args
    },
    get locals() {
      return ctx.locals
    },
    get nonlocals() {
      return flattened(ctx.nonlocals)
    },
    get run() {
      return runFields(ctx.run)
    },
    get globals() {
      return ctx.globals
    },
    get envelope() {
      return ctx.envelope
    },
  }
}

function runFields(run: Run) {
  return {
    get id() {
      return run.id
    },
    get tool() {
      return run.tool
    },
    get index() {
      return run.index
    },
    get origin() {
      return run.origin
    },
  }
}

/** All that can be seen in it, its own and its callers'. */
function flattened(nonlocals: Record<string, unknown>): Record<string, unknown> {
  const all: [string, unknown][] = []
  for (const key in nonlocals) all.push([key, nonlocals[key]])
  return Object.fromEntries(all)
}
