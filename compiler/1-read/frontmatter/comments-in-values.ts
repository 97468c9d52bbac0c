import { lineEnd } from '../../diagnostics/source-text.js'
import { IGNORE_COMMENT } from './ignore-comments.js'
import { topLevelKeys } from './top-level-keys.js'

/** A value whose end YAML takes for a comment. */
export interface CutValue {
  key: string
  /** Offset of the `#`. */
  offset: number
  /** The part that is left out, as it was written. */
  cut: string
}

/** The beginning of a value that is not a plain scalar: in it, no `#` begins a comment by mistake. */
const NOT_PLAIN = /^[[{"'|>&*!%@`]/

/** Finds ` #` in an unquoted name or description, which YAML silently ends there. */
export function commentsInValues(source: string): CutValue[] {
  if (!source.includes('#')) return []
  const keys = topLevelKeys(source)
  return ['name', 'description'].flatMap(key => {
    const start = keys.get(key)?.value
    if (start === undefined || NOT_PLAIN.test(source.slice(start, start + 1))) return []
    const offset = commentIn(source, start)
    return offset === null || IGNORE_COMMENT.test(source.slice(offset))
      ? []
      : [{ key, offset, cut: source.slice(offset, lineEnd(source, offset)).trimEnd() }]
  })
}

/** The offset of the first comment behind text of the value at `start`; null where there is none. */
function commentIn(source: string, start: number): number | null {
  for (let position = start; position < source.length; ) {
    const end = lineEnd(source, position)
    const comment = /[ \t]#/.exec(source.slice(position - 1, end))
    // A comment on a line of its own was meant as one.
    if (comment && (position === start || source.slice(position, position + comment.index).trim() !== ''))
      return position + comment.index
    position = end + 1
    if (/^\S/.test(source.slice(position, position + 1))) return null
  }
  return null
}
