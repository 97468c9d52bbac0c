import { fromMessage, isFollowUp, type Message } from 'agent-apps/compiler'
import { addToGroup } from '../../src/base/add-to-group.js'
import type { Invocation } from '../command.js'
import { fromHere } from '../from-here.js'
import { count, printable } from '../output.js'
import type { Terminal } from '../standard-io.js'
import { type RuleGroup, ruleGroups } from './rule-groups.js'

/** The places of a rule that a terminal shows without `--all`. */
const PLACES = 10

const STYLES = { error: 'red', warning: 'yellow', info: 'blue' } as const

/** Drops infos unless `--verbose` is given, and with `--quiet` everything but errors. */
export function withoutAsides(diagnostics: readonly Message[], { output }: Invocation): Message[] {
  return diagnostics.filter(
    ({ severity }) => severity === 'error' || (!output.quiet && (output.verbose || severity === 'warning')),
  )
}

/**
 * Formats diagnostics for a person. In a terminal they are grouped by rule, the most urgent last, where a reader starts;
 * elsewhere there is one line each, consequences after their causes.
 */
export function prettyDiagnostics(
  diagnostics: readonly Message[],
  invocation: Invocation,
  stream: Terminal,
): string[] {
  return stream.isTTY
    ? ruleGroups(diagnostics)
        .reverse()
        .flatMap(group => [...groupLines(group, invocation, stream), ''])
    : diagnostics
        .toSorted((a, b) => Number(isFollowUp(a)) - Number(isFollowUp(b)))
        .map(message => oneLine(message, invocation, stream))
}

/** A diagnostic in one searchable line, with nothing cut. */
function oneLine(message: Message, { output, cwd }: Invocation, stream: Terminal): string {
  const { severity, reason, note, rule } = fromMessage(message)
  const label = output.style(STYLES[severity], severity, stream)
  return `${placeOf(message, cwd)} ${label} ${printable(`${sentence(reason)} ${note}`)} ${output.style('dim', rule, stream)}`
}

function groupLines(
  { rule, severity, messages: group }: RuleGroup,
  { options, output, cwd }: Invocation,
  stream: Terminal,
): string[] {
  const label = output.style(STYLES[severity], severity, stream)
  const lines = [`${label} ${output.style('bold', rule, stream)} · ${count(group.length, 'place')}`]
  const places = options.all === true ? group : group.slice(0, PLACES)
  for (const [note, messages] of byNote(places)) {
    for (const message of messages)
      lines.push(`  ${placeOf(message, cwd)}  ${printable(fromMessage(message).reason)}`)
    lines.push(`    ${output.style('dim', printable(note), stream)}`)
  }
  const more = group.length - places.length
  return more === 0 ? lines : [...lines, `  and ${count(more, 'more place')}; --all shows them`]
}

/** Groups messages by hint, so that each hint is shown once. */
function byNote(messages: readonly Message[]): Map<string, Message[]> {
  const notes = new Map<string, Message[]>()
  for (const message of messages) addToGroup(notes, message.note ?? '', message)
  return notes
}

function placeOf(message: Message, cwd: string): string {
  const { file, line, column } = fromMessage(message)
  return printable(`${atLineStart(fromHere(file, cwd))}:${line}:${column}`)
}

/** Prefixes a path that GitHub would read as a command at the start of a line. */
function atLineStart(path: string): string {
  return /^\s*::|^\s*##/.test(path) ? `./${path}` : path
}

export function sentence(reason: string): string {
  return /[.!?]$/.test(reason) ? reason : `${reason}.`
}
