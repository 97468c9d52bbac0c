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
 * The terms of a tool, each with its weight in `LEVELS` levels, as BM25F has it: a field that is long for its kind
 * counts less, and a term's tenth occurrence less than its second. All of it depends on the tool alone, so that it can
 * be kept beside the tool.
 */
export interface ToolTerms {
  terms: string[]
  /** The weight of each, from 1. */
  all: Uint8Array
  /** Its weight without headings and body, for callers who may not read those; 0 where only those have it. */
  declared: Uint8Array
}

export const LEVELS = 63
/** The maximum number of terms that only headings and body have; the strongest are kept. */
const BODY_TERMS = 128

/**
 * The weight of a field, how much its length counts, and its usual length in words. They were chosen by 281 prompts of
 * users for 13 skills among 4,000.
 */
const FIELDS: Readonly<Record<SearchField, { weight: number; byLength: number; usual: number }>> = {
  name: { weight: 3, byLength: 0.5, usual: 3 },
  tags: { weight: 2, byLength: 0.5, usual: 5 },
  description: { weight: 1.5, byLength: 0.6, usual: 35 },
  headings: { weight: 0.5, byLength: 0.7, usual: 60 },
  body: { weight: 0.2, byLength: 0.8, usual: 900 },
}
const SATURATION = 1.2

/** The terms of a tool with their weights: those that it declares, and the strongest others. */
export function toolTerms(texts: SearchedTexts): ToolTerms {
  const declared = new Map<string, number>()
  const inBody = new Map<string, number>()
  for (const { field, terms, unit } of fieldsOf(texts)) {
    const sums = isDeclared(field) ? declared : inBody
    for (const term of terms) sums.set(term, (sums.get(term) ?? 0) + unit)
  }
  const others = [...inBody].filter(([term]) => !declared.has(term)).sort(strongestFirst)
  const terms = [...declared.keys(), ...others.slice(0, BODY_TERMS).map(([term]) => term)]
  const levels = (sumOf: (term: string) => number): Uint8Array =>
    Uint8Array.from(terms, term => levelOf(sumOf(term)))
  return {
    terms,
    all: levels(term => (declared.get(term) ?? 0) + (inBody.get(term) ?? 0)),
    declared: levels(term => declared.get(term) ?? 0),
  }
}

/** The weight that each field of a tool gives to a term; of one that none has, to those that begin with it. */
export function fieldWeights(texts: SearchedTexts, term: string): Partial<Record<SearchField, number>> {
  const fields = fieldsOf(texts)
  const isThere = fields.some(({ terms }) => terms.includes(term))
  const weights: Partial<Record<SearchField, number>> = {}
  for (const { field, terms, unit } of fields) {
    const count = terms.filter(one => (isThere ? one === term : one.startsWith(term))).length
    if (count > 0) weights[field] = count * unit
  }
  return weights
}

/** The terms of each field, and what one occurrence weighs there. */
function fieldsOf({ name, tags, description, body }: SearchedTexts): FieldTerms[] {
  const { headings, prose } = partsOf(body)
  return [
    fieldOf('name', termsOfName(name)),
    fieldOf('tags', termsOfText(tags.join(' '))),
    fieldOf('description', termsOfText(description)),
    fieldOf('headings', termsOfText(headings)),
    fieldOf('body', termsOfText(prose)),
  ]
}

interface FieldTerms {
  field: SearchField
  terms: string[]
  unit: number
}

function fieldOf(field: SearchField, terms: string[]): FieldTerms {
  const { weight, byLength, usual } = FIELDS[field]
  return { field, terms, unit: weight / (1 - byLength + (byLength * terms.length) / usual) }
}

function isDeclared(field: SearchField): boolean {
  return field === 'name' || field === 'tags' || field === 'description'
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
