import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, relative, resolve, sep } from 'node:path'
import { fromMessage, type Message } from 'agent-apps/compiler'
import { AgentAppsError } from '../../src/base/error.js'
import { fromCwd } from '../from-here.js'
import { failures } from './rule-groups.js'

/** An error or warning that a team has accepted. It has no line, which any edit above it would change. */
interface Entry {
  rule: string
  /** In the file relative to its own folder, `/`-separated. */
  file: string
  reason: string
}

/** How diagnostics compare with a baseline. */
export interface Comparison {
  /** Those that the baseline does not have, and all infos. */
  fresh: Message[]
  /** How many diagnostics are accepted. */
  known: number
  /** The entries of the baseline that nothing is wrong with any more; their files are relative to `cwd`. */
  gone: Entry[]
}

/** Writes errors and warnings as a baseline, sorted, and returns how many there are. */
export function writeBaseline(path: string, diagnostics: readonly Message[], cwd: string): number {
  const file = resolve(cwd, path)
  const entries = failures(diagnostics)
    .map(message => entryOf(message, file, cwd))
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  writeFileSync(file, `${JSON.stringify({ version: 1, accepted: entries }, null, 2)}\n`)
  return entries.length
}

/**
 * Compares diagnostics with a baseline. An entry accepts one diagnostic.
 *
 * @throws USAGE if there is no such file, or it is not a baseline
 */
export function compareWithBaseline(path: string, diagnostics: readonly Message[], cwd: string): Comparison {
  const file = resolve(cwd, path)
  const accepted = new Map<string, Entry[]>()
  for (const entry of readBaseline(path, file))
    accepted.set(keyOf(entry), [...(accepted.get(keyOf(entry)) ?? []), entry])
  const isFresh = (message: Message): boolean =>
    message.severity === 'info' || accepted.get(keyOf(entryOf(message, file, cwd)))?.pop() === undefined
  const fresh = diagnostics.filter(isFresh)
  const gone = [...accepted.values()]
    .flat()
    .map(entry => ({ ...entry, file: fromCwd(resolve(dirname(file), entry.file), cwd) }))
  return { fresh, known: diagnostics.length - fresh.length, gone }
}

function entryOf(message: Message, baseline: string, cwd: string): Entry {
  const { rule, file, reason } = fromMessage(message)
  return { rule, file: relative(dirname(baseline), resolve(cwd, file)).replaceAll(sep, '/'), reason }
}

function keyOf({ rule, file, reason }: Entry): string {
  return JSON.stringify([file, rule, reason])
}

function readBaseline(path: string, file: string): Entry[] {
  if (!existsSync(file))
    throw new AgentAppsError('USAGE', `There is no baseline ${path}.`, {
      hint: `Correct the path, or make one: \`agent-apps check --write-baseline ${path}\`.`,
    })
  const entries = acceptedIn(readFileSync(file, 'utf8'))
  if (entries !== null) return entries
  throw new AgentAppsError('USAGE', `The file ${path} is not a baseline.`, {
    hint: `Make it again: \`agent-apps check --write-baseline ${path}\`.`,
  })
}

/** The entries of a baseline's text; null if it is none. */
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
