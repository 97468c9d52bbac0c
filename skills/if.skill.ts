import { type Context, ctxValue, type DirectiveCall } from 'agent-apps'
import { directiveFault } from './faults.js'

export const frontmatter = {
  name: 'if',
  description:
    'Keeps its block where a value of the call is there, or equals a string; else what follows `:::else`.',
  metadata: { visibility: 'hidden', tags: ['meta-directive-block'] },
}

/**
 * `:::if{path=args.file}`, `:::if{path=args.kind equals=bug}`. Missing values, null, false, empty strings and
 * empty arrays count as absent.
 */
export default async function when(ctx: Context, call: DirectiveCall): Promise<string> {
  const { path, equals } = call.attributes
  if (!path) throw directiveFault('the block has no `path`', 'Write `:::if{path=args.file}`.')
  const value = ctxValue(ctx, path)
  const holds = equals === undefined ? isThere(value) : asText(value) === equals
  return (holds ? await call.children?.() : await call.else?.()) ?? ''
}

function isThere(value: unknown): boolean {
  const isEmpty = Array.isArray(value) && value.length === 0
  return value !== undefined && value !== null && value !== false && value !== '' && !isEmpty
}

function asText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')
}
