import { lineEnd } from '../../diagnostics/source-text.js'

/** A malformed value in frontmatter, and its replacement. */
export interface ValueRepair {
  key: string
  /** The value's offset in the frontmatter. */
  start: number
  end: number
  replacement: string
}

/** The beginning of a value that is not a plain scalar. No `#` in such a value begins a comment by mistake. */
export const NOT_PLAIN = /^[[{"'|>&*!%@`]/

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

/** The frontmatter with the repaired value in quotes. */
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

const QUOTE_IT = 'Put the value in quotes'

/** The meaning in YAML of a value's first character. */
const BEGINNINGS: Readonly<Record<string, string>> = {
  '[': 'a list',
  '{': 'a mapping',
  '*': 'an alias',
  '&': 'an anchor',
  '!': 'a tag',
  '%': 'a directive',
  '@': 'a reserved character',
  '`': 'a reserved character',
}

/**
 * Returns the hint on a syntax fault whose cause shows in its line; otherwise null.
 *
 * @param isFixable whether `check --fix` puts the value in quotes
 */
export function yamlHint(source: string, failedAt: number, isFixable: boolean): string | null {
  const entry = entryAround(source, failedAt)
  const value = valueAt(source, entry.start)
  const fix = isFixable ? ', or run `agent-apps check --fix`' : ''
  const begins = BEGINNINGS[value.charAt(0)]
  if (begins !== undefined && !/^(?:\[.*\]|\{.*\})$/.test(value))
    return `A value that begins with "${value.charAt(0)}" is ${begins} in YAML. ${QUOTE_IT}${fix}.`
  if (/^"(?:[^"\\]|\\.)*"[ \t]*[^\s#]/.test(value) || /^'(?:[^']|'')*'[ \t]*[^\s#]/.test(value))
    return `The value has quotes inside quotes, or text after them. Put all of it in the other kind of quotes${fix}.`
  return unclosedBefore(source, entry.start) ?? strayIndentation(source, failedAt)
}

/** The value on the line that begins at an offset; empty if the line has none. */
function valueAt(source: string, start: number): string {
  const line = source.slice(start, lineEnd(source, start)).trimEnd()
  return /^[^\s:#][^:]*:[ \t]+(\S.*)$/.exec(line)?.[1] ?? ''
}

/** A hint about a list or mapping that begins before an entry, and that YAML misses the end of in it. */
function unclosedBefore(source: string, start: number): string | null {
  if (start === 0) return null
  const value = valueAt(source, entryAround(source, start - 1).start)
  const end = { '[': ']', '{': '}' }[value.charAt(0)]
  if (end === undefined || value.includes(end)) return null
  return `The "${value.charAt(0)}" in the entry before has no "${end}". Add it, or put that value in quotes.`
}

/** A hint about a key that is further to the right than the keys around it; null if none is. */
function strayIndentation(source: string, failedAt: number): string | null {
  const start = source.lastIndexOf('\n', Math.max(0, failedAt - 1)) + 1
  const line = source.slice(start, lineEnd(source, start))
  const [, spaces = '', key = ''] = /^( {1,3})([\w-]+):(?:[ \t]|\r?$)/.exec(line) ?? []
  if (spaces === '') return null
  const before = source.slice(0, start).trimEnd().split('\n').at(-1) ?? ''
  // Under a key without a value, indentation is correct.
  if (/:\s*$/.test(before) || /^\s/.test(before)) return null
  return `Remove the ${spaces.length === 1 ? 'space' : 'spaces'} before "${key}": keys of one mapping begin in one column.`
}
