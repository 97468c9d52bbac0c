import { parsePatterns } from '../../../src/patterns/tool-pattern.js'
import type { Finding, RuleName } from '../../diagnostics/diagnostics.js'
import { lineEnd } from '../../diagnostics/source-text.js'
import { applyRepair, entryAround, quote, type ValueRepair } from './repair-colon.js'
import { readYaml, topLevelKeys } from './yaml.js'

/** A value that YAML refuses because of its first character, although it can only be one string. */
const ONE_TEXT: readonly RegExp[] = [
  // Reserved by YAML, so that no value can begin so.
  /^[@`%]./,
  // Complete, and followed by more.
  /^\*\S+[ \t]+\S/,
  /^\[[^[\]]*\][ \t]*[^\s,#\]]/,
  /^\{[^{}]*\}[ \t]*[^\s,#}]/,
  /^"[^"\\]*"[ \t]*[^\s#"](?:.*[^"\s])?$/,
  /^'[^']*'[ \t]*[^\s#'](?:.*[^'\s])?$/,
]

/** The most values of a frontmatter that are put in quotes. */
const VALUES_MAX = 20

/**
 * Puts values in quotes that YAML refuses for how they begin, as in `description: @mentions …`. Empty unless
 * that makes the frontmatter readable, and each value can only be one string.
 */
export function missingQuotes(source: string, failedAt: number): ValueRepair[] {
  const repairs: ValueRepair[] = []
  let [yaml, offset, growth] = [source, failedAt, 0]
  while (repairs.length < VALUES_MAX) {
    const repair = quoteAround(yaml, offset)
    if (repair === null) return []
    yaml = applyRepair(yaml, repair)
    // YAML is read from the top, so every repair so far lies before this one.
    repairs.push({ ...repair, start: repair.start - growth, end: repair.end - growth })
    growth += repair.replacement.length - (repair.end - repair.start)
    const { problem } = readYaml(yaml)
    if (!problem) return repairs
    if (problem.rule !== 'yaml-syntax') return []
    offset = problem.offset
  }
  return []
}

function quoteAround(source: string, failedAt: number): ValueRepair | null {
  const entry = entryAround(source, failedAt)
  const value = oneLineValue(source, entry.start)
  if (value === null || value.key === 'name') return null
  const text = source.slice(value.start, value.end)
  if (!ONE_TEXT.some(pattern => pattern.test(text))) return null
  return { ...value, replacement: quote(text) }
}

/** A top-level value on a single line, without its comment; null for any other. */
function oneLineValue(
  source: string,
  entryStart: number,
): { key: string; start: number; end: number } | null {
  const end = lineEnd(source, entryStart)
  const line = source.slice(entryStart, end)
  const parts = /^([A-Za-z0-9_][\w.-]*):[ \t]+(?=\S)/.exec(line)
  if (parts?.[1] === undefined || /^[ \t]+\S/.test(source.slice(end + 1, lineEnd(source, end + 1))))
    return null
  const text = withoutComment(line.slice(parts[0].length))
  const start = entryStart + parts[0].length
  return { key: parts[1], start, end: start + text.length }
}

/** The fixes of findings in a frontmatter, each with the rule that it repairs. */
export function fixesOf(findings: readonly Finding[], source: string): (ValueRepair & { rule: RuleName })[] {
  const isReplaced = findings.some(({ rule }) => rule === 'name-replaced')
  return findings.flatMap(finding => {
    const { rule } = finding
    const isDone = rule === 'value-read-as-text' && finding.found[0] === 'name' && isReplaced
    const repair = isDone ? null : fixOf(finding, source)
    return repair === null ? [] : [{ ...repair, rule }]
  })
}

function fixOf(
  { rule, found: [first = '', second = '', third = ''] }: Finding,
  source: string,
): ValueRepair | null {
  if (rule === 'name-replaced') return replaceValue(source, 'name', third)
  if (rule === 'name-from-folder') return addName(source, first)
  return rule === 'value-read-as-text' ? replaceValue(source, first, second) : null
}

/** Replaces a top-level value; null unless it is on a single line. */
function replaceValue(source: string, key: string, text: string): ValueRepair | null {
  const entryStart = topLevelKeys(source).get(key)?.key
  const value = entryStart === undefined ? null : oneLineValue(source, entryStart)
  if (value === null) return null
  const written = source.slice(value.start, value.end)
  // In quotes, a `#` begins no comment.
  if (/^(?:"[^"]*|'[^']*|[|>&!].*)$/.test(written)) return null
  // Without its quotes, a comment behind the value would look like a part of it.
  const isPlain = PLAIN_TEXT.test(text) && !/^["']/.test(written)
  return { ...value, replacement: isPlain ? text : quote(text) }
}

/** A string that YAML reads as one without quotes. */
const PLAIN_TEXT = /^(?!(?:true|false|null)$)[a-z][\w-]*(?: [a-z][\w-]*)*$/i

/** Writes a name into a frontmatter without one; null where there is a key `name` or none at all. */
function addName(source: string, name: string): ValueRepair | null {
  if (!/^[A-Za-z]/.test(source) || topLevelKeys(source).has('name')) return null
  const newline = /\r\n/.test(source) ? '\r\n' : '\n'
  return { key: 'name', start: 0, end: 0, replacement: `name: ${name}${newline}` }
}

/**
 * Writes `allowed-tools` with spaces between the patterns, as the specification requires; null if they
 * already are, or are in an array.
 */
export function spaceTools(source: string, written: unknown): ValueRepair | null {
  if (typeof written !== 'string' || !written.includes(',')) return null
  const patterns = parsePatterns(written).map(({ text }) => text)
  const spaced = patterns.join(' ')
  return spaced === written ? null : replaceValue(source, 'allowed-tools', spaced)
}

/** A line up to its comment, without trailing white space; empty if it contains other line breaks. */
function withoutComment(line: string): string {
  if (/[\n\u2028\u2029]|\r./s.test(line)) return ''
  const comment = line.search(/[ \t]#/)
  return (comment === -1 ? line : line.slice(0, comment)).trimEnd()
}
