import { lineEnd } from '../../diagnostics/source-text.js'

/** A value of frontmatter that is written in a wrong way, and what to write instead. */
export interface ValueRepair {
  key: string
  /** The value's offset in frontmatter's text. */
  start: number
  end: number
  /** The text to write instead. */
  replacement: string
}

/** The beginning of a value that is not a plain scalar. */
const NOT_PLAIN = /^[[{"'|>&*!%@`]/

/**
 * Repairs the most common fault of real skills: an unquoted top-level value that contains `: `, as in
 * `description: Use when: …`.
 *
 * @param failedAt the offset at which YAML failed
 * @returns null where the fault is another
 */
export function repairColon(source: string, failedAt: number): ValueRepair | null {
  const entry = entryAround(source, failedAt)
  const parts = /^([A-Za-z0-9_][\w.-]*):[ \t]+(?=\S)/.exec(source.slice(entry.start, entry.end))
  const key = parts?.[1]
  if (parts === null || key === undefined || key === 'name') return null
  const start = entry.start + parts[0].length
  const lines = source.slice(start, entry.end).split('\n')
  const value = lines
    .map(line => withoutComment(line).trim())
    .join('\n')
    .trim()
  if (NOT_PLAIN.test(value) || !/:[ \t]/.test(value)) return null
  return {
    key,
    start,
    end: start + source.slice(start, entry.end).trimEnd().length,
    replacement: quote(fold(value)),
  }
}

/** The text with the repaired value in quotes. */
export function applyRepair(source: string, { start, end, replacement }: ValueRepair): string {
  return source.slice(0, start) + replacement + source.slice(end)
}

/** The top-level entry around an offset: from the last line without indentation to the next one. */
export function entryAround(source: string, offset: number): { start: number; end: number } {
  let start = 0
  let position = 0
  while (position < source.length) {
    const beginsEntry = /[^\s#]/.test(source[position] ?? '')
    if (beginsEntry && position > offset) return { start, end: position }
    if (beginsEntry) start = position
    position = lineEnd(source, position) + 1
  }
  return { start, end: source.length }
}

function withoutComment(line: string): string {
  return line.replace(/(^|[ \t])#.*/s, '$1')
}

/** Joins the lines of a plain scalar as YAML does: a line break is a space, a blank line is a line break. */
function fold(value: string): string {
  return value.replace(/\n+/g, breaks => (breaks.length === 1 ? ' ' : breaks.slice(1)))
}

/** In double quotes where nothing needs escaping, else in single quotes, where only the quote itself does. */
export function quote(text: string): string {
  if (text.includes('\n')) return JSON.stringify(text)
  return /["\\]/.test(text) ? `'${text.replaceAll("'", "''")}'` : `"${text}"`
}
