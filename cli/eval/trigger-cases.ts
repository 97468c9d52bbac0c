import { realpathSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import type { Diagnostic, ToolDef } from 'agent-apps/runtime'
import { orNull, thrownText } from '../../src/base/attempt.js'
import { declaredPhrases } from '../../src/search/searched-texts.js'
import { Malformed, parseLocated } from './parse-located.js'
import { listCaseFolder, readCaseFile } from './read-case-file.js'
import { readEntries } from './read-entries.js'

/** Words of a user, and the skill that they should or should not lead to. */
export interface TriggerCase {
  query: string
  /** Null: no skill. */
  skill: string | null
  /** False: the skill should not come first. */
  should: boolean
  /** Absolute. */
  file: string
  line: number
}

interface TriggerCases {
  cases: TriggerCase[]
  /** The files and the entries that could not be read as cases. */
  faults: Diagnostic[]
}

/** The names under which authors keep cases, in a skill's folder, in that of a collection, or in `evals/` there. */
const FILES = /^(?:(?:eval|train|validation)_queries\.json|eval_set\.json|trigger.*\.(?:jsonl?|ya?ml))$/

/**
 * Reads the cases of skills and of their collections.
 *
 * @param folders those of collections, absolute
 * @param files further ones with cases, absolute
 */
export async function readTriggerCases(
  tools: readonly ToolDef[],
  folders: readonly string[],
  files: readonly string[],
): Promise<TriggerCases> {
  const found: TriggerCases = { cases: tools.flatMap(declaredCases), faults: [] }
  const owned = tools.filter(({ kind }) => kind === 'folder').map(folderOf)
  const owners = new Map(
    owned.flatMap(({ folder, name }) => casePlaces(folder).map(place => [place, name] as const)),
  )
  const bounds = outermost(
    [...owned.map(({ folder }) => folder), ...folders].flatMap(
      folder => orNull(() => realpathSync.native(folder)) ?? [],
    ),
  )
  // Without a configuration, the entry is the project, and its skills are in a folder of it.
  const collections = [
    ...folders,
    ...owned.flatMap(({ folder, entry }) => (folder === entry ? [] : dirname(folder))),
  ]
  const places = new Set([...owners.keys(), ...collections.flatMap(casePlaces)])
  const all = new Set([...[...places].flatMap(place => caseFiles(place, bounds, found)), ...files])
  const named = new Set(files)
  for (const file of all) {
    const owner = owners.get(dirname(file)) ?? null
    await addFrom({ file, owner, bounds: named.has(file) ? null : bounds }, found)
  }
  return found
}

/** The folders that are in none of the others: each file is compared with all of them. */
function outermost(folders: readonly string[]): string[] {
  const kept: string[] = []
  for (const folder of folders.map(one => join(one, sep)).sort())
    if (!folder.startsWith(kept.at(-1) ?? '\0')) kept.push(folder)
  return kept.map(folder => dirname(join(folder, 'file')))
}

function folderOf({ name, origin: { entry, file } }: ToolDef): {
  name: string
  folder: string
  entry: string
} {
  return { name, folder: dirname(join(entry, file)), entry }
}

/** The folders with the cases of a skill or a collection. */
function casePlaces(folder: string): string[] {
  return [folder, join(folder, 'evals')]
}

function caseFiles(place: string, bounds: readonly string[], { faults }: TriggerCases): string[] {
  try {
    const names = listCaseFolder(place, bounds).filter(name => FILES.test(name))
    return names.sort().map(name => join(place, name))
  } catch (error) {
    faults.push(unreadable({ file: place, line: 1 }, `The folder cannot be read: ${thrownText(error)}`))
    return []
  }
}

/** The phrases that a skill names itself. */
function declaredCases({ name, frontmatter, origin }: ToolDef): TriggerCase[] {
  const file = join(origin.entry, origin.file)
  return declaredPhrases(frontmatter).map(query => ({ query, skill: name, should: true, file, line: 1 }))
}

/** The most faults of a file, of a kind, that are reported one by one. */
const FAULTS_MAX = 100

interface CaseFile {
  file: string
  /** The skill of prompts that name none. */
  owner: string | null
  /** The real folders that a link may lead into; null: anywhere. */
  bounds: readonly string[] | null
}

async function addFrom({ file, owner, bounds }: CaseFile, { cases, faults }: TriggerCases): Promise<void> {
  try {
    const { value, lineAt, faults: malformed } = await parseLocated(file, readCaseFile(file, bounds))
    const read = readEntries(value, owner)
    if (read.prompts.length + read.faults.length + malformed.length === 0)
      throw new Error('it has no prompts')
    for (const { path, ...prompt } of read.prompts) cases.push({ ...prompt, file, line: lineAt(path) })
    for (const { message, point } of malformed.slice(0, FAULTS_MAX))
      faults.push(unreadable({ file, ...point }, `The line is not an entry: ${message}`))
    for (const { path, reason, near } of read.faults.slice(0, FAULTS_MAX))
      faults.push(unreadable({ file, line: lineAt(path) }, reason, near))
    const more = [malformed, read.faults].map(({ length }) => Math.max(0, length - FAULTS_MAX))
    for (const count of more.filter(Boolean))
      faults.push(unreadable({ file, line: 1 }, `${count} more entries of this file cannot be read`))
  } catch (error) {
    const reason = error instanceof RangeError ? 'it is nested too deeply' : thrownText(error)
    const point = error instanceof Malformed ? error.point : { line: 1 }
    faults.push(unreadable({ file, ...point }, `The file has no cases: ${reason}`))
  }
}

function unreadable(
  { file, line, column = 1 }: { file: string; line: number; column?: number },
  reason: string,
  near: string | null = null,
): Diagnostic {
  return {
    ...{ file, line, column, rule: 'trigger-unreadable', severity: 'warning', reason },
    note: near
      ? `Did you mean "${near}"?`
      : 'Correct it: node_modules/agent-apps/docs/eval.md has the forms that are read.',
  }
}
