import { allDirectives, type ContentPart } from '../index/content-record.js'
import type { ReferenceKind, ToolReference } from '../skill/reference.js'
import { EXPRESSION_START } from './interpolate.js'

/** The directives whose argument is a reference. */
const KINDS: ReadonlyMap<string, ReferenceKind> = new Map([
  ['skill', 'directive'],
  ['tool', 'directive'],
  ['include', 'include'],
])

/** The references in a content's directives that are known unrendered; not those in included files. */
export function directiveReferences(parts: readonly ContentPart[]): ToolReference[] {
  return allDirectives(parts).flatMap(({ name, arg = '', at: [line, column] }) => {
    const kind = KINDS.get(name)
    const isKnown = kind !== undefined && arg !== '' && !arg.includes(EXPRESSION_START)
    return isKnown ? [{ kind, ref: arg, line, column }] : []
  })
}
