import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Diagnostic, ToolDef } from 'agent-apps/runtime'
import { thrownText } from '../../src/base/attempt.js'
import { declaredPhrases } from '../../src/search/declared-phrases.js'
import { parseLocated } from './parse-located.js'
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

export interface TriggerCases {
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
  const places = [...owners.keys(), ...folders.flatMap(casePlaces)]
  const all = new Set([...places.flatMap(caseFiles), ...files])
  for (const file of all) await addFrom(file, owners.get(dirname(file)) ?? null, found)
  return found
}

function folderOf({ name, origin }: ToolDef): { name: string; folder: string } {
  return { name, folder: dirname(join(origin.entry, origin.file)) }
}

/** The folders with the cases of a skill or a collection. */
function casePlaces(folder: string): string[] {
  return [folder, join(folder, 'evals')]
}

function caseFiles(place: string): string[] {
  if (!existsSync(place)) return []
  const names = readdirSync(place).filter(name => FILES.test(name))
  return names.sort().map(name => join(place, name))
}

/** The phrases that a skill names itself. */
function declaredCases({ name, frontmatter, origin }: ToolDef): TriggerCase[] {
  const file = join(origin.entry, origin.file)
  return declaredPhrases(frontmatter).map(query => ({ query, skill: name, should: true, file, line: 1 }))
}

async function addFrom(file: string, owner: string | null, { cases, faults }: TriggerCases): Promise<void> {
  const fault = (line: number, reason: string, near: string | null): Diagnostic => ({
    ...{ file, line, column: 1, rule: 'trigger-unreadable', severity: 'warning', reason },
    note: near ? `Did you mean "${near}"?` : 'Correct it: docs/eval.md has the forms that are read.',
  })
  try {
    const { value, lineAt } = await parseLocated(file, readFileSync(file, 'utf8'))
    const read = readEntries(value, owner)
    if (read.prompts.length + read.faults.length === 0) throw new Error('it has no prompts')
    for (const { path, ...prompt } of read.prompts) cases.push({ ...prompt, file, line: lineAt(path) })
    for (const { path, reason, near } of read.faults) faults.push(fault(lineAt(path), reason, near))
  } catch (error) {
    faults.push(fault(1, `The file has no cases: ${thrownText(error)}`, null))
  }
}
