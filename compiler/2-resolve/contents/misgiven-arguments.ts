import { nearest } from '../../../src/base/nearest.js'
import { EXPRESSION_START, namesOurs, ROOTS } from '../../../src/content/interpolate.js'
import type { DirectivePart } from '../../../src/index/content-record.js'

/** Arguments that make a directive fail at every call, or that do nothing. */
interface Misgiven {
  rule: 'directive-failed' | 'directive-idle'
  message: string
  hint: string
}

/** Finds what is wrong with the arguments of a directive of the library. */
export function misgivenArguments(directive: DirectivePart): Misgiven[] {
  return [...failingArguments(directive), ...idleArguments(directive)]
}

function failingArguments({ name, arg, attributes: { path, as } = {} }: DirectivePart): Misgiven[] {
  const fails = (message: string, hint: string): Misgiven[] => [{ rule: 'directive-failed', message, hint }]
  if (name === 'value' && !arg) return fails('the directive names no value', 'Write `:value[args.file]`.')
  if (name === 'if' && !path) return fails('the block says no `path`', 'Write `:::if{path=args.file}`.')
  if (name !== 'each') return []
  if (!path) return fails('the block says no `path`', 'Write `:::each{path=args.files}`.')
  if (as === undefined || as.includes(EXPRESSION_START) || /^[A-Za-z_]\w*$/.test(as)) return []
  return fails(`${JSON.stringify(as)} is not a name`, 'Write `{path=args.files as=file}`.')
}

/**
 * The attributes that each directive of the library knows, and which of them are paths over the values of a
 * call.
 */
export const LIBRARY_ATTRIBUTES: Readonly<Record<string, { attributes: readonly string[]; path?: string }>> =
  {
    each: { attributes: ['path', 'as'], path: 'path' },
    if: { attributes: ['path', 'equals'], path: 'path' },
    include: { attributes: ['lines', 'section'] },
    skill: { attributes: ['show'] },
    tool: { attributes: ['show'] },
    tools: { attributes: ['library'] },
    value: { attributes: ['default'], path: 'arg' },
  }

/** Finds unknown attributes, and paths that lead to no value. */
function idleArguments({ name, arg, attributes = {} }: DirectivePart): Misgiven[] {
  const rule = 'directive-idle'
  const known = Object.hasOwn(LIBRARY_ATTRIBUTES, name) ? LIBRARY_ATTRIBUTES[name] : undefined
  if (!known) return []
  const shown = known.attributes.map(key => `"${key}"`).join(', ')
  const idle = Object.keys(attributes)
    .filter(key => !known.attributes.includes(key))
    .map((key): Misgiven => {
      const message = `the directive "${name}" does not look at "${key}"`
      return { rule, message, hint: suggestion(key, known.attributes) ?? `It looks at ${shown}.` }
    })
  const path = known.path === 'arg' ? arg : known.path && attributes[known.path]
  if (!path || path.includes(EXPRESSION_START) || namesOurs(path)) return idle
  const [root = ''] = /^\w*/.exec(path) ?? []
  const hint = suggestion(root, ROOTS) ?? `A path begins with one of ${ROOTS.join(', ')}: \`args.${path}\`.`
  return [...idle, { rule, message: `the path "${path}" leads to no value of a call`, hint }]
}

function suggestion(word: string, known: readonly string[]): string | null {
  const near = nearest(word, known)
  return near === null ? null : `Did you mean "${near}"?`
}
