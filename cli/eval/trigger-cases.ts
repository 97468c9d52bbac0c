import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Diagnostic, ToolDef } from 'agent-apps/runtime'
import { thrownText } from '../../src/base/attempt.js'
import { isJsonObject, isStringArray, type JsonObject } from '../../src/base/json.js'

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
  /** The files that could not be read as cases. */
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
  const known = new Set(owned.map(({ folder }) => folder))
  const all = [
    ...owned.flatMap(({ folder, name }) => caseFiles(folder).map(file => ({ file, name }))),
    ...folders
      .filter(folder => !known.has(folder))
      .flatMap(folder => caseFiles(folder).map(file => ({ file, name: null }))),
    ...files.map(file => ({ file, name: null })),
  ]
  for (const { file, name } of all) await addFrom(file, name, found)
  return found
}

function folderOf({ name, origin }: ToolDef): { name: string; folder: string } {
  return { name, folder: dirname(join(origin.entry, origin.file)) }
}

function caseFiles(folder: string): string[] {
  return [folder, join(folder, 'evals')].flatMap(place =>
    existsSync(place)
      ? readdirSync(place)
          .filter(name => FILES.test(name))
          .sort()
          .map(name => join(place, name))
      : [],
  )
}

/** The phrases that a skill names itself. */
function declaredCases({ name, frontmatter, origin }: ToolDef): TriggerCase[] {
  const { metadata, extra } = frontmatter
  const file = join(origin.entry, origin.file)
  return [metadata.triggers, extra.triggers]
    .flatMap(phrases => (isStringArray(phrases) ? phrases : []))
    .map(query => ({ query, skill: name, should: true, file, line: 1 }))
}

async function addFrom(file: string, owner: string | null, { cases, faults }: TriggerCases): Promise<void> {
  try {
    const text = readFileSync(file, 'utf8')
    const made = casesIn(await parse(file, text), owner)
    if (made.length === 0) throw new Error('it has no prompts with the skill that they are for')
    for (const one of made) cases.push({ ...one, file, line: lineOf(one.query, text) })
  } catch (error) {
    faults.push({
      ...{ file, line: 1, column: 1, rule: 'trigger-unreadable', severity: 'warning' },
      reason: `The file has no cases: ${thrownText(error)}`,
      note: 'Correct it: docs/eval.md has the forms that are read.',
    })
  }
}

async function parse(file: string, text: string): Promise<unknown> {
  if (file.endsWith('.json')) return JSON.parse(text)
  if (file.endsWith('.jsonl'))
    return text.split('\n').flatMap(line => (line.trim() === '' ? [] : [JSON.parse(line) as unknown]))
  const { load } = await import('js-yaml')
  return load(text)
}

type Case = Pick<TriggerCase, 'query' | 'skill' | 'should'>

function casesIn(value: unknown, owner: string | null): Case[] {
  if (Array.isArray(value)) return value.flatMap(item => casesIn(item, owner))
  if (!isJsonObject(value)) return []
  if (Array.isArray(value.queries)) return casesIn(value.queries, owner)
  const named = value.skill === undefined ? value.expected_skill : value.skill
  const skill = typeof named === 'string' ? named : owner
  const { should_trigger_prompts: right, should_not_trigger_prompts: wrong } = value
  if (right !== undefined || wrong !== undefined)
    return skill === null
      ? []
      : [
          ...promptsIn(right).map(query => ({ query, skill, should: true })),
          ...promptsIn(wrong).map(query => ({ query, skill, should: false })),
        ]
  return oneCase(value, named === null ? '' : skill)
}

function oneCase({ query, prompt, should_trigger: should = true }: JsonObject, skill: string | null): Case[] {
  const text = query ?? prompt
  if (typeof text !== 'string' || typeof should !== 'boolean' || skill === null) return []
  return [{ query: text, skill: skill === '' ? null : skill, should }]
}

function promptsIn(prompts: unknown): string[] {
  if (!Array.isArray(prompts)) return []
  const texts = prompts.map(one => (isJsonObject(one) ? one.prompt : one))
  return texts.filter(text => typeof text === 'string')
}

/** The line of a text where a query first stands, as it is written in JSON or in YAML; 1 where it is written otherwise. */
function lineOf(query: string, text: string): number {
  const written = [JSON.stringify(query).slice(1, -1), query].map(one => text.indexOf(one))
  const at = written.find(place => place !== -1) ?? 0
  return text.slice(0, at).split('\n').length
}
