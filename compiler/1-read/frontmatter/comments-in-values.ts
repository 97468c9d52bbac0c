import { lineEnd } from '../../diagnostics/source-text.js'
import { topLevelKeys } from './top-level-keys.js'

/** A text of which YAML takes the end for a comment. */
export interface CutValue {
  key: string
  /** Offset of the `#`. */
  offset: number
  /** What is left out, as it was written. */
  cut: string
}

/** Values that begin so are no plain scalars, and a `#` in them is their own or plainly no part of them. */
const NOT_PLAIN = /^[[{"'|>&*!%@`]/

/** Where a name or description without quotes holds ` #`: YAML ends it there, and says nothing. */
export function commentsInValues(source: string): CutValue[] {
  if (!source.includes('#')) return []
  const keys = topLevelKeys(source)
  return ['name', 'description'].flatMap(key => {
    const start = keys.get(key)?.value
    if (start === undefined || NOT_PLAIN.test(source.slice(start, start + 1))) return []
    const offset = commentIn(source, start)
    return offset === null
      ? []
      : [{ key, offset, cut: source.slice(offset, lineEnd(source, offset)).trimEnd() }]
  })
}

/** The first comment on a line of the value that begins at `start`; null where it has none. */
function commentIn(source: string, start: number): number | null {
  for (let position = start; position < source.length; ) {
    const end = lineEnd(source, position)
    const comment = /[ \t]#/.exec(source.slice(position - 1, end))
    // On a line of its own it is one that was meant.
    if (comment && (position === start || source.slice(position, position + comment.index).trim() !== ''))
      return position + comment.index
    position = end + 1
    if (/^\S/.test(source.slice(position, position + 1))) return null
  }
  return null
}
