import { byCodePoint } from '../base/code-point-order.js'
import { grown } from '../base/grown.js'
import type { Vocabulary } from './vocabulary.js'
import {
  addTermsOfLine,
  currentVocabulary,
  termNumbersOfName,
  termNumbersOfText,
  textBytes,
} from './words.js'

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
  /** The terms, as numbers of `vocabulary`. */
  terms: number[]
  vocabulary: Vocabulary
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
  const vocabulary = currentVocabulary()
  declared.clear()
  inBody.clear()
  for (const { field, terms, unit } of fieldsOf(texts)) {
    const sums = isDeclared(field) ? declared : inBody
    for (const term of terms) sums.add(term, unit)
  }
  const others = inBody.terms.filter(term => declared.of(term) === 0)
  const terms = [...declared.terms, ...strongest(others, inBody, vocabulary)]
  const all = new Uint8Array(terms.length)
  const own = new Uint8Array(terms.length)
  for (const [at, term] of terms.entries()) {
    own[at] = levelOf(declared.of(term))
    all[at] = levelOf(declared.of(term) + inBody.of(term))
  }
  return { terms, vocabulary, all, declared: own }
}

/** A sum for each term. */
class Sums {
  /** Those with a sum, in the order in which they came. */
  readonly terms: number[] = []
  #sums = new Float64Array(1024)

  clear(): void {
    for (const term of this.terms) this.#sums[term] = 0
    this.terms.length = 0
  }

  add(term: number, value: number): void {
    this.#sums = grown(this.#sums, term + 1)
    if (this.#sums[term] === 0) this.terms.push(term)
    this.#sums[term] = (this.#sums[term] as number) + value
  }

  of(term: number): number {
    return this.#sums[term] ?? 0
  }
}

/** The sums of one tool at a time: new ones for each would take longer than all else. */
const declared = new Sums()
const inBody = new Sums()

/** The weight that each field of a tool gives to a term; of one that none has, to those that begin with it. */
export function fieldWeights(texts: SearchedTexts, term: string): Partial<Record<SearchField, number>> {
  const vocabulary = currentVocabulary()
  const fields = fieldsOf(texts).map(({ terms, ...field }) => ({
    ...field,
    terms: terms.map(number => vocabulary.termAt(number)),
  }))
  const isThere = fields.some(({ terms }) => terms.includes(term))
  const weights: Partial<Record<SearchField, number>> = {}
  for (const { field, terms, unit } of fields) {
    const count = terms.filter(one => (isThere ? one === term : one.startsWith(term))).length
    if (count > 0) weights[field] = count * unit
  }
  return weights
}

/** The terms of each field as numbers of the vocabulary, and the weight of one occurrence there. */
function fieldsOf({ name, tags, description, body }: SearchedTexts): FieldTerms[] {
  const { headings, prose } = partsOf(body)
  return [
    fieldOf('name', termNumbersOfName(name)),
    fieldOf('tags', termNumbersOfText(tags.join(' '))),
    fieldOf('description', termNumbersOfText(description)),
    fieldOf('headings', headings),
    fieldOf('body', prose),
  ]
}

interface FieldTerms {
  field: SearchField
  terms: number[]
  unit: number
}

function fieldOf(field: SearchField, terms: number[]): FieldTerms {
  const { weight, byLength, usual } = FIELDS[field]
  return { field, terms, unit: weight / (1 - byLength + (byLength * terms.length) / usual) }
}

function isDeclared(field: SearchField): boolean {
  return field === 'name' || field === 'tags' || field === 'description'
}

/** The terms of the headings of a Markdown text, and those of its other lines; without code, whose words name no task. */
function partsOf(body: string): { headings: number[]; prose: number[] } {
  const parts = { headings: [] as number[], prose: [] as number[] }
  const bytes = textBytes(body)
  let isCode = false
  for (let start = 0; start < bytes.length; start++) {
    if (isFence(bytes, start)) isCode = !isCode
    else if (!isCode) {
      start = addTermsOfLine(bytes, start, isHeading(bytes, start) ? parts.headings : parts.prose)
      continue
    }
    const end = bytes.indexOf(NEWLINE, start)
    start = end === -1 ? bytes.length : end
  }
  return parts
}

const [NEWLINE, SPACE, TAB, RETURN, HASH, BACKTICK, TILDE] = [10, 32, 9, 13, 35, 96, 126]

/** True for a line that opens or closes code. */
function isFence(bytes: Uint8Array, start: number): boolean {
  let at = start
  while (bytes[at] === SPACE || bytes[at] === TAB) at++
  const mark = bytes[at]
  return (mark === BACKTICK || mark === TILDE) && bytes[at + 1] === mark && bytes[at + 2] === mark
}

function isHeading(bytes: Uint8Array, start: number): boolean {
  let at = start
  while (bytes[at] === HASH) at++
  const next = bytes[at]
  return at > start && at <= start + 6 && (next === SPACE || next === TAB || next === RETURN)
}

function levelOf(weight: number): number {
  return weight === 0 ? 0 : Math.max(1, Math.round((LEVELS * weight) / (SATURATION + weight)))
}

/** The strongest terms of a body; of those as strong, the first in code-point order. */
function strongest(terms: readonly number[], sums: Sums, vocabulary: Vocabulary): readonly number[] {
  if (terms.length <= BODY_TERMS) return terms
  const least = Float64Array.from(terms, term => sums.of(term)).sort()[terms.length - BODY_TERMS] as number
  const stronger = terms.filter(term => sums.of(term) > least)
  const equal = terms
    .filter(term => sums.of(term) === least)
    .sort((a, b) => byCodePoint(vocabulary.termAt(a), vocabulary.termAt(b)))
  return [...stronger, ...equal.slice(0, BODY_TERMS - stronger.length)]
}
