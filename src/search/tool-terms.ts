import { byCodePoint } from '../base/code-point-order.js'
import { TEXT_MAX, termsOfName, termsOfText } from './words.js'

/** The texts of a tool that a search looks at. */
export interface SearchedTexts {
  name: string
  tags: readonly string[]
  description: string
  /** The text of a skill, empty where that is for nobody to search: then it tells nothing of itself. */
  body: string
}

export const SEARCH_FIELDS = ['name', 'tags', 'description', 'headings', 'body'] as const
export type SearchField = (typeof SEARCH_FIELDS)[number]

/**
 * The weight of a term of a tool, in `LEVELS` levels, as BM25F has it: a field that is long for its kind counts
 * less, and a term's tenth occurrence less than its second. It depends on the tool alone, so that it can be kept
 * beside the tool.
 */
export interface TermWeight {
  /** From 1. */
  all: number
  /** Without headings and body, for callers who may not read those; 0 where only those have the term. */
  declared: number
}

export const LEVELS = 63
/** Of the terms that only headings and body have, the strongest. */
const BODY_TERMS = 128

/**
 * The weight of a field, how much its length counts, and its usual length in words. They were chosen by 281 prompts of
 * users for 13 skills among 4,000.
 */
const FIELDS: Record<SearchField, { weight: number; byLength: number; usual: number }> = {
  name: { weight: 3, byLength: 0.5, usual: 3 },
  tags: { weight: 2, byLength: 0.5, usual: 5 },
  description: { weight: 1.5, byLength: 0.6, usual: 35 },
  headings: { weight: 0.5, byLength: 0.7, usual: 60 },
  body: { weight: 0.2, byLength: 0.8, usual: 900 },
}
const SATURATION = 1.2

/** The terms of a tool with their weights. */
export function toolTerms(texts: SearchedTexts): Map<string, TermWeight> {
  const declared = new Map<string, number>()
  const all = new Map<string, number>()
  for (const [field, weights] of fieldWeights(texts))
    for (const [term, weight] of weights) {
      all.set(term, (all.get(term) ?? 0) + weight)
      if (isDeclared(field)) declared.set(term, (declared.get(term) ?? 0) + weight)
    }
  const others = [...all].filter(([term]) => !declared.has(term)).sort(strongestFirst)
  const kept = [...declared.keys()].map((term): [string, number] => [term, all.get(term) ?? 0])
  const terms = new Map<string, TermWeight>()
  for (const [term, weight] of [...kept, ...others.slice(0, BODY_TERMS)])
    terms.set(term, { all: levelOf(weight), declared: levelOf(declared.get(term) ?? 0) })
  return terms
}

/** The weights of a tool's terms in each of its fields. */
export function fieldWeights({
  name,
  tags,
  description,
  body,
}: SearchedTexts): [SearchField, Map<string, number>][] {
  const { headings, prose } = partsOf(body)
  return [
    ['name', weightsIn('name', termsOfName(name))],
    ['tags', weightsIn('tags', termsOfText(tags.join(' ')))],
    ['description', weightsIn('description', termsOfText(description))],
    ['headings', weightsIn('headings', termsOfText(headings))],
    ['body', weightsIn('body', termsOfText(prose))],
  ]
}

function isDeclared(field: SearchField): boolean {
  return field === 'name' || field === 'tags' || field === 'description'
}

function weightsIn(field: SearchField, terms: readonly string[]): Map<string, number> {
  const { weight, byLength, usual } = FIELDS[field]
  const unit = weight / (1 - byLength + (byLength * terms.length) / usual)
  const weights = new Map<string, number>()
  for (const term of terms) weights.set(term, (weights.get(term) ?? 0) + unit)
  return weights
}

/** The headings of a Markdown text, and its other lines; without code, whose words name no task. */
function partsOf(body: string): { headings: string; prose: string } {
  const headings: string[] = []
  const prose: string[] = []
  let isCode = false
  for (const line of body.slice(0, TEXT_MAX).split('\n')) {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode
    else if (!isCode) (/^#{1,6}\s/.test(line) ? headings : prose).push(line)
  }
  return { headings: headings.join('\n'), prose: prose.join('\n') }
}

function levelOf(weight: number): number {
  return weight === 0 ? 0 : Math.max(1, Math.round((LEVELS * weight) / (SATURATION + weight)))
}

function strongestFirst([a, one]: [string, number], [b, other]: [string, number]): number {
  return other - one || byCodePoint(a, b)
}
