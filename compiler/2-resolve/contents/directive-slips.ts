import { nearest } from '../../../src/base/nearest.js'
import type { ContentWork } from '../../../src/content/content-work.js'
import type { DirectiveForm } from '../../../src/content/directive.js'
import { beginsLine, mayBeginDirective } from '../../../src/content/directive-names.js'
import { EXPRESSION_START, namesOurs, ROOTS } from '../../../src/content/interpolate.js'
import { allDirectives, type DirectivePart } from '../../../src/index/content-record.js'
import type { Place } from '../../diagnostics/diagnostics.js'
import type { KnownDirectives } from '../../directives/parse-content.js'
import { parseContentWithin } from '../../directives/parse-content-within.js'

/** A known directive that is treated as text because it does not have the form in which it is written. */
interface Misformed {
  name: string
  /** How to write it. */
  hint: string
  /** The number of colons to remove. */
  extra: number
}

const CANDIDATE = /(:+)([a-z][a-z0-9-]*)(?=[[{])/g

/** Finds the known directives with too many or too few colons for their place. */
export async function misformedDirectives(
  text: string,
  known: KnownDirectives,
  firstLine: number,
  work: ContentWork,
): Promise<(Misformed & Place)[]> {
  const wrong = new Map<number, Misformed>()
  // With one colon each, the parser finds them all but those in code, HTML and links.
  const corrected = text.replace(CANDIDATE, (written, colons: string, name: string, offset: number) => {
    const hint = hintFor(text, { offset, colons: colons.length, name }, known.get(name) ?? [])
    if (hint === null) return written
    const extra = colons.length - 1
    wrong.set(offset + extra, { name, hint, extra })
    return `${','.repeat(extra)}:${name}`
  })
  if (wrong.size === 0) return []
  const names = [...wrong.values()].map(({ name }): [string, DirectiveForm[]] => [name, ['inline']])
  const { parts } = await parseContentWithin(corrected, new Map(names), firstLine, work)
  return allDirectives(parts).flatMap(({ start, name, arg = '', at: [line, column] }) => {
    const found = wrong.get(start)
    // `…::value[0]` is C++.
    if (!found || (name === 'value' && !namesOurs(arg))) return []
    return [{ ...found, line, column: column - found.extra }]
  })
}

/** How to write a directive in its place; null where it is written so, or is not a directive. */
function hintFor(
  text: string,
  { offset, colons, name }: { offset: number; colons: number; name: string },
  forms: readonly DirectiveForm[],
): string | null {
  if (forms.length === 0 || !mayBeginDirective(text, offset) || text.charAt(offset - 1) === '\\') return null
  const isBlock = colons > 1 && beginsLine(text, offset)
  if (forms.includes(isBlock ? 'block' : 'inline') && (isBlock || colons === 1)) return null
  return forms.includes('inline')
    ? `Inside text it has one colon: \`:${name}[…]\`.`
    : `Write it on its own line: \`::${name}\`, or \`:::${name}\` around a block.`
}

/** Arguments that make a directive fail at every call, or that do nothing. */
interface Misgiven {
  rule: 'directive-failed' | 'directive-idle'
  message: string
  hint: string
}

/** Finds faults in the arguments of a directive of the library. */
export function misgivenArguments(directive: DirectivePart): Misgiven[] {
  return [...failingArguments(directive), ...idleArguments(directive)]
}

function failingArguments({ name, arg, attributes: { path, as } = {} }: DirectivePart): Misgiven[] {
  const fails = (message: string, hint: string): Misgiven[] => [{ rule: 'directive-failed', message, hint }]
  if (name === 'value' && !arg) return fails('the directive names no value', 'Write `:value[args.file]`.')
  if (name === 'if' && !path) return fails('the block has no `path`', 'Write `:::if{path=args.file}`.')
  if (name !== 'each') return []
  if (!path) return fails('the block has no `path`', 'Write `:::each{path=args.files}`.')
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
      const message = `the directive "${name}" has no attribute "${key}"`
      return { rule, message, hint: suggestion(key, known.attributes) ?? `It has only ${shown}.` }
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
