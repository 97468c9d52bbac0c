import type { InterpolationRoots } from '../src/interpolate.js'
import type { Context } from './context.js'

/** What of a context paths can name, as own properties: only those are followed. */
export function interpolationRoots(ctx: Context): InterpolationRoots {
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
      const { run } = ctx
      return {
        get id() {
          return run.id
        },
        tool: run.tool,
        index: run.index,
        origin: run.origin,
      }
    },
    get config() {
      return ctx.globals.config
    },
  }
}

/** All that can be seen in it, its own and its callers'. */
export function flattened(nonlocals: Record<string, unknown>): Record<string, unknown> {
  const all: [string, unknown][] = []
  for (const key in nonlocals) all.push([key, nonlocals[key]])
  return Object.fromEntries(all)
}
