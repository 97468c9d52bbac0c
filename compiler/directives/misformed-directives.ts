import type { ContentWork } from '../../src/content/content-work.js'
import type { DirectiveForm } from '../../src/content/directive-forms.js'
import { beginsLine, mayBeginDirective } from '../../src/content/directive-names.js'
import { namesOurs } from '../../src/content/interpolate.js'
import { allDirectives } from '../../src/index/content-record.js'
import type { Place } from '../diagnostics/diagnostics.js'
import type { KnownDirectives } from './parse-content.js'
import { parseContentWithin } from './parse-content-within.js'

/** A known directive that is text because it is written in a form that it does not have. */
interface Misformed {
  name: string
  /** How to write it. */
  hint: string
  /** The number of colons to remove. */
  extra: number
}

const CANDIDATE = /(:+)([a-z][a-z0-9-]*)(?=[[{])/g

/** Finds the known directives of a text that have too many or too few colons for their place. */
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
    ? `In a text it has one colon: \`:${name}[…]\`.`
    : `It stands on a line of its own: \`::${name}\`, or \`:::${name}\` around a block.`
}
