import { nearest } from 'agent-apps'
import type { Diagnostic, Hit, ToolDef } from 'agent-apps/runtime'
import type { TriggerCase } from './trigger-cases.js'

/** A skill with how many of its prompts find it. */
interface SkillRate {
  skill: string
  prompts: number
  first: number
  five: number
}

export interface Judgement {
  /** All skills together. */
  all: SkillRate
  /** The skills, those that are found worst first. */
  skills: SkillRate[]
  /** Prompts that should not lead to a skill, and how many do. */
  others: { prompts: number; wrong: number }
  /** The prompts that do not find their skill first. */
  notFirst: NotFirst[]
  diagnostics: Diagnostic[]
}

interface NotFirst {
  query: string
  skill: string
  /** Absolute. */
  file: string
  line: number
  /** The name of the skill that comes first; null if nothing is found. */
  first: string | null
}

export type Search = (query: string, options: { limit: number; names?: string[] }) => Promise<Hit[]>

/** A prompt counts if its skill is among so many. */
const AMONG = 5

interface Searched {
  one: TriggerCase
  hits: Hit[]
  /** The hit of its skill among them. */
  own: Hit | undefined
}

/** Holds what a search finds against what it should find. */
export async function judgeTriggers(
  cases: readonly TriggerCase[],
  tools: readonly ToolDef[],
  search: Search,
): Promise<Judgement> {
  const names = new Set(tools.flatMap(({ name, label }) => [name, label]))
  const diagnostics: Diagnostic[] = []
  const searched: Searched[] = []
  for (const one of cases) {
    if (one.skill !== null && !names.has(one.skill)) {
      diagnostics.push(unknown(one, one.skill, [...names]))
      continue
    }
    const hits = await search(one.query, { limit: AMONG })
    searched.push({ one, hits, own: hits.find(({ tool }) => isMeant(tool, one.skill)) })
  }
  const right = searched.filter(({ one }) => one.should && one.skill !== null)
  const least = tenth(right.flatMap(({ own }) => own?.score ?? []))
  for (const missed of right.filter(({ own }) => !own)) diagnostics.push(await missing(missed, search))
  const others = searched.filter(({ one }) => !one.should || one.skill === null)
  const wrong = others.filter(({ one, hits: [first] }) => isWrong(one, first, least))
  diagnostics.push(...wrong.map(wrongly))
  return {
    ...ratesOf(right),
    others: { prompts: others.length, wrong: wrong.length },
    notFirst: right.flatMap(notFirst),
    diagnostics,
  }
}

function notFirst({ one, hits: [first], own }: Searched): NotFirst[] {
  const { query, skill, file, line } = one
  return own && own === first
    ? []
    : [{ query, skill: skill ?? '', file, line, first: first?.tool.name ?? null }]
}

function isMeant({ name, label }: ToolDef, skill: string | null): boolean {
  return name === skill || label === skill
}

function isWrong({ skill, should }: TriggerCase, first: Hit | undefined, least: number): boolean {
  if (!first || first.score < least) return false
  return skill === null ? should : isMeant(first.tool, skill)
}

/** The score that nine tenths of the right hits reach. A hit below it may be chance. */
function tenth(scores: number[]): number {
  return scores.sort((a, b) => a - b)[Math.floor(scores.length / 10)] ?? 0
}

function ratesOf(right: readonly Searched[]): Pick<Judgement, 'all' | 'skills'> {
  const bySkill = new Map<string, SkillRate>()
  const all: SkillRate = { skill: '', prompts: 0, first: 0, five: 0 }
  for (const { one, hits, own } of right) {
    const skill = one.skill ?? ''
    const rate = bySkill.get(skill) ?? { skill, prompts: 0, first: 0, five: 0 }
    bySkill.set(skill, rate)
    for (const counts of [all, rate]) {
      counts.prompts++
      if (own) counts.five++
      if (own && own === hits[0]) counts.first++
    }
  }
  const share = (rate: SkillRate, found: number): number => found / rate.prompts
  const skills = [...bySkill.values()].sort(
    (a, b) => share(a, a.five) - share(b, b.five) || share(a, a.first) - share(b, b.first),
  )
  return { all, skills }
}

async function missing({ one, hits }: Searched, search: Search): Promise<Diagnostic> {
  const [first] = hits
  const skill = one.skill ?? ''
  const [own] = await search(one.query, { limit: 1, names: [skill] })
  const instead = first ? `"${first.tool.name}" comes first, by ${listed(first.matched)}` : 'Nothing is found'
  const has = own ? `"${skill}" has only ${listed(own.matched)}` : `"${skill}" has none of its words`
  return {
    ...{ ...placeOf(one), rule: 'trigger-missed', severity: 'warning' },
    reason: `${quoted(one.query)} does not find "${skill}" among the first ${AMONG}`,
    note: `${instead}; ${has}. Say in its description what users say.`,
  }
}

function wrongly({ one, hits: [first] }: Searched): Diagnostic {
  const { tool, matched = [] } = first ?? {}
  const skill = tool?.name ?? ''
  return {
    ...{ ...placeOf(one), rule: 'trigger-wrong', severity: 'warning' },
    reason: `${quoted(one.query)} finds "${skill}", and should not`,
    note: `It is found by ${listed(matched)}. Describe with these words the skill that the prompt is for, or leave them out of this one: a search reads "not for …" as more words.`,
  }
}

function unknown(one: TriggerCase, skill: string, names: readonly string[]): Diagnostic {
  const near = nearest(skill, names)
  return {
    ...{ ...placeOf(one), rule: 'trigger-unknown', severity: 'warning' },
    reason: `${quoted(one.query)} is for "${skill}", and agents get no skill of that name`,
    note: near ? `Did you mean "${near}"?` : 'Correct the name, or give the path of the skill.',
  }
}

function placeOf({ file, line }: TriggerCase): Pick<Diagnostic, 'file' | 'line' | 'column'> {
  return { file, line, column: 1 }
}

const SHOWN_MAX = 80

function quoted(query: string): string {
  return JSON.stringify(query.length > SHOWN_MAX ? `${query.slice(0, SHOWN_MAX)}…` : query)
}

function listed(words: readonly string[]): string {
  return words.join(', ')
}
