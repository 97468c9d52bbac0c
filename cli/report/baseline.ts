import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, relative, resolve, sep } from 'node:path'
import { fromMessage, type Message } from 'agent-apps/compiler'
import type { Invocation } from '../command.js'
import { fromCwd, fromHere } from '../from-here.js'
import { count, printable } from '../output.js'
import { usageError } from '../usage-error.js'
import { failures } from './rule-groups.js'

/** An accepted error or warning. It has no line number, which any edit above would change. */
interface Entry {
  rule: string
  /** Relative to the baseline's folder, `/`-separated. */
  file: string
  reason: string
}

/** How diagnostics compare with a baseline. */
export interface Comparison {
  /** The diagnostics that the baseline lacks, and all infos. */
  fresh: Message[]
  /** The number of accepted diagnostics. */
  known: number
  /** The entries that no longer apply; their files are relative to `cwd`. */
  gone: Entry[]
}

/**
 * Writes errors and warnings as a sorted baseline. Returns their number.
 *
 * @throws USAGE if the file cannot be written
 */
export function writeBaseline(path: string, diagnostics: readonly Message[], cwd: string): number {
  const file = resolve(cwd, path)
  const entries = failures(diagnostics)
    .map(message => entryOf(message, file, cwd))
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  try {
    writeFileSync(file, `${JSON.stringify({ version: 1, accepted: entries }, null, 2)}\n`)
  } catch (error) {
    throw usageError(
      `The baseline ${path} cannot be written: ${(error as Error).message}`,
      'Name a file in a folder that exists and is writable.',
    )
  }
  return entries.length
}

/**
 * Compares diagnostics with a baseline. Each entry accepts one diagnostic.
 *
 * @param command the one that writes such a baseline
 * @throws USAGE if the file is missing or not a baseline
 */
export function compareWithBaseline(
  path: string,
  diagnostics: readonly Message[],
  cwd: string,
  command: 'check' | 'eval',
): Comparison {
  const file = resolve(cwd, path)
  const accepted = new Map<string, Entry[]>()
  for (const entry of readBaseline(path, file, command))
    accepted.set(keyOf(entry), [...(accepted.get(keyOf(entry)) ?? []), entry])
  const isFresh = (message: Message): boolean =>
    message.severity === 'info' || accepted.get(keyOf(entryOf(message, file, cwd)))?.pop() === undefined
  const fresh = diagnostics.filter(isFresh)
  const gone = [...accepted.values()]
    .flat()
    .map(entry => ({ ...entry, file: fromCwd(resolve(dirname(file), entry.file), cwd) }))
  return { fresh, known: diagnostics.length - fresh.length, gone }
}

/** Shows what a baseline accepts, and what of it is no longer wrong. */
export function showComparison({ known, gone }: Comparison, { output, cwd }: Invocation): void {
  for (const { rule, file, reason } of gone)
    output.note(`no longer wrong: ${printable(`${fromHere(file, cwd)} ${reason}`)} ${rule}`)
  const advice = gone.length > 0 ? '; write the baseline again to drop them' : ''
  output.result(`baseline: ${count(known)} accepted, ${count(gone.length)} no longer wrong${advice}`)
}

function entryOf(message: Message, baseline: string, cwd: string): Entry {
  const { rule, file, reason } = fromMessage(message)
  return { rule, file: relative(dirname(baseline), resolve(cwd, file)).replaceAll(sep, '/'), reason }
}

function keyOf({ rule, file, reason }: Entry): string {
  return JSON.stringify([file, rule, reason])
}

function readBaseline(path: string, file: string, command: string): Entry[] {
  if (!existsSync(file))
    throw usageError(
      `There is no baseline ${path}.`,
      `Correct the path, or write one: \`agent-apps ${command} --write-baseline ${path}\`.`,
    )
  const entries = acceptedIn(readFileSync(file, 'utf8'))
  if (entries !== null) return entries
  throw usageError(
    `The file ${path} is not a baseline.`,
    `Name a file that \`agent-apps ${command} --write-baseline\` wrote.`,
  )
}

/** Parses a baseline; null if it is not one. */
function acceptedIn(text: string): Entry[] | null {
  try {
    const { version, accepted } = JSON.parse(text) as { version?: unknown; accepted?: unknown }
    return version === 1 && Array.isArray(accepted) && accepted.every(isEntry) ? accepted : null
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return null
    throw error
  }
}

function isEntry(value: unknown): value is Entry {
  const { rule, file, reason } = (value ?? {}) as Partial<Record<keyof Entry, unknown>>
  return [rule, file, reason].every(text => typeof text === 'string')
}
