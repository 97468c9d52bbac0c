import { lineEnd } from '../../diagnostics/source-text.js'
import { entryAround } from './repair-colon.js'

const QUOTE_IT = 'Put the value in quotes'

/** What YAML takes the first character of a value for. */
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
 * Says what to do about a fault of syntax whose cause shows in the line; null where it does not.
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

/** A hint about a key that is further to the right than the keys around it; null where there is none. */
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
