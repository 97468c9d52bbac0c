import { isJsonObject, isStringArray, type JsonValue } from '../base/json.js'
import type { HostPlaceholder } from '../index/index-format.js'

/** The hosts whose placeholders can be filled in. */
export const HOSTS = ['claude'] as const
export type Host = (typeof HOSTS)[number]

/** A command in a line, or in a code fence, whose output another host would insert. */
const COMMAND = /(?<!\S)!`[^`\n]+`|^```![^\S\n]*\n[\s\S]*?^```/gm

/**
 * Finds the placeholders in a text, each once, in order.
 *
 * @param names the names of the skill's arguments
 */
export function hostPlaceholders(text: string, names: readonly string[]): HostPlaceholder[] {
  // Most texts have none, and looking for these takes a tenth of the time.
  if (!text.includes('$') && !text.includes('!`') && !text.includes('```!')) return []
  const commands = [...text.matchAll(COMMAND)].map(({ 0: found, index }) => ({
    index,
    placeholder: { kind: 'command' as const, text: found },
  }))
  const others = [...text.matchAll(placeholder(names))].flatMap(({ 0: found, index, groups = {} }) => {
    if (groups.escaped !== undefined) return []
    const kind = groups.variable === undefined ? ('argument' as const) : ('variable' as const)
    return [{ index, placeholder: { kind, text: found } }]
  })
  const inOrder = [...commands, ...others].sort((a, b) => a.index - b.index)
  return [...new Map(inOrder.map(({ placeholder: one }) => [one.text, one])).values()]
}

/** The values of a host's placeholders, by the name after the `$`. */
export interface HostValues {
  /** The names of the skill's arguments, in order. */
  names: readonly string[]
  /** All arguments as one string. */
  all: string
  /** The arguments by position; undefined for a missing one. */
  positional: readonly (string | undefined)[]
  /** Keyed by name: `CLAUDE_SKILL_DIR`. An unknown variable is undefined, and is left as written. */
  variables: Readonly<Record<string, string | undefined>>
}

/** A text with its placeholders filled in. */
interface FilledText {
  text: string
  /** True where an argument stood in it. */
  hasArguments: boolean
}

/**
 * Fills in a text's placeholders, in one pass: a value that looks like a placeholder is not filled in again.
 * Missing arguments and unknown variables are left as written.
 *
 * @param between maps the text between placeholders
 */
export function fillPlaceholders(
  text: string,
  { names, all, positional, variables }: HostValues,
  between: (text: string) => string,
): FilledText {
  let hasArguments = false
  const pieces: string[] = []
  let end = 0
  for (const match of text.matchAll(placeholder(names))) {
    const { escaped, variable, index, position = index, name, whole } = match.groups ?? {}
    if (escaped === undefined && variable === undefined) hasArguments = true
    const value =
      escaped ??
      (variable !== undefined && Object.hasOwn(variables, variable) ? variables[variable] : undefined) ??
      (whole === undefined ? undefined : all) ??
      positional[position === undefined ? names.indexOf(name ?? '') : Number(position)]
    pieces.push(between(text.slice(end, match.index)), value ?? match[0])
    end = match.index + match[0].length
  }
  pieces.push(between(text.slice(end)))
  return { text: pieces.join(''), hasArguments }
}

/** Matches a placeholder, or one that a backslash makes plain text. */
function placeholder(names: readonly string[]): RegExp {
  const named = names.map(name => name.replace(/\W/g, '\\$&')).sort((a, b) => b.length - a.length)
  const name = named.length > 0 ? `|(?<name>${named.join('|')})\\b` : ''
  const plain = ['ARGUMENTS\\b', '\\d', ...named.map(one => `${one}\\b`)].join('|')
  return new RegExp(
    [
      `\\\\(?<escaped>\\$(?=${plain}))`,
      '(?<!\\\\)\\$\\{(?<variable>CLAUDE_[A-Z_]+)\\}',
      `\\$(?:ARGUMENTS\\[(?<index>\\d+)\\]|(?<whole>ARGUMENTS)\\b|(?<position>\\d+)\\b${name})`,
    ].join('|'),
    'g',
  )
}

/** The names of a skill's arguments, from its field `arguments`: a list, or words in a string. */
export function argumentNames(value: JsonValue | undefined): string[] {
  const names = typeof value === 'string' ? value.split(/[\s,]+/) : isStringArray(value) ? value : []
  return names.filter(name => /^[A-Za-z_][\w-]*$/.test(name))
}

const KINDS: readonly unknown[] = ['variable', 'argument', 'command'] satisfies HostPlaceholder['kind'][]

/** True for an array of placeholders, from any source. */
export function isPlaceholders(value: unknown): value is HostPlaceholder[] {
  return (
    Array.isArray(value) &&
    value.every(one => isJsonObject(one) && KINDS.includes(one.kind) && typeof one.text === 'string')
  )
}
