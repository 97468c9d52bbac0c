import { interpolate } from '../../src/content/interpolate.js'
import type { Context } from '../state/context.js'
import { interpolationRoots } from './interpolation-roots.js'

/** A middleware's configuration, with `${…}` filled in from the context that it serves. */
export function interpolateArguments(args: unknown, ctx: Context): unknown {
  return interpolate(args, interpolationRoots(ctx))
}
