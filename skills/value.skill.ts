import { type Context, ctxValue, type DirectiveCall } from 'agent-apps'
import { directiveFault } from './faults.js'

export const frontmatter = {
  name: 'value',
  description: 'Puts a value of the call in its place: `args.x`, `locals.x`, `nonlocals.x`, `env.X`.',
  metadata: { visibility: 'hidden', tags: ['meta-directive-inline'] },
}

/** `:value[args.file]`, `:value[args.file]{default="…"}`. A value that is not a string becomes JSON. */
export default function value(ctx: Context, { arg = '', attributes }: DirectiveCall): unknown {
  if (arg === '') throw directiveFault('the directive names no value', 'Write `:value[args.file]`.')
  return ctxValue(ctx, arg) ?? attributes.default
}
