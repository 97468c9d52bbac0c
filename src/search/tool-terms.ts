import { FieldCounts, SEARCH_FIELDS, type SearchField, Vocabulary } from './vocabulary.js'
import { TEXT_MAX, wordsAndParts } from './words.js'

/** The texts of a tool that a search looks at. */
export interface SearchedTexts {
  name: string
  tags: readonly string[]
  description: string
  /** The text of a skill, empty if it must not be searched: it cannot give anything away then. */
  body: string
}

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
  const declaredCount = countFields(texts, vocabulary)
  const units = fieldUnits()
  const terms = counts.terms.slice(0, declaredCount)
  for (const term of strongest(counts.terms.slice(declaredCount), units)) terms.push(term)
  const all = new Uint8Array(terms.length)
  const declared = new Uint8Array(terms.length)
  for (let at = 0; at < terms.length; at++) {
    const term = terms[at] as number
    const own = declaredWeight(term, units)
    declared[at] = levelOf(own)
    all[at] = levelOf(own + textWeight(term, units))
  }
  return { terms, vocabulary, all, declared }
}

/** The counts of one tool at a time: new ones for each would take longer than all else. */
const counts = new FieldCounts()

/** Counts the terms of each field of a tool. Returns the number of declared terms, which come first in `counts.terms`. */
function countFields({ name, tags, description, body }: SearchedTexts, vocabulary: Vocabulary): number {
  counts.clear()
  counts.setField('name')
  countName(name, vocabulary, counts)
  counts.setField('tags')
  countText(tags.join(' '), vocabulary, counts)
  counts.setField('description')
  countText(description, vocabulary, counts)
  const declared = counts.terms.length
  countBody(body, vocabulary)
  return declared
}

/** The weight of one occurrence in each field. */
function fieldUnits(): Float64Array {
  return Float64Array.from(SEARCH_FIELDS, (field, at) => {
    const { weight, byLength, usual } = FIELDS[field]
    return weight / (1 - byLength + (byLength * counts.lengthOf(at)) / usual)
  })
}

/** The number of fields that a tool declares, the first of `SEARCH_FIELDS`. */
const DECLARED = 3

function declaredWeight(term: number, units: Float64Array): number {
  return weightIn(term, units, 0, DECLARED)
}

/** The weight of a term in headings and body. */
function textWeight(term: number, units: Float64Array): number {
  return weightIn(term, units, DECLARED, SEARCH_FIELDS.length)
}

function weightIn(term: number, units: Float64Array, from: number, to: number): number {
  let weight = 0
  for (let field = from; field < to; field++) weight += counts.of(term, field) * (units[field] as number)
  return weight
}

/** The weight that each field of a tool gives to a term; of one that none has, to those that begin with it. */
export function fieldWeights(texts: SearchedTexts, term: string): Partial<Record<SearchField, number>> {
  const vocabulary = currentVocabulary()
  countFields(texts, vocabulary)
  const exact = counts.terms.filter(number => vocabulary.termAt(number) === term)
  const meant =
    exact.length > 0 ? exact : counts.terms.filter(number => vocabulary.termAt(number).startsWith(term))
  const units = fieldUnits()
  const weights: Partial<Record<SearchField, number>> = {}
  for (const [at, field] of SEARCH_FIELDS.entries()) {
    const weight = meant.reduce((sum, number) => sum + weightIn(number, units, at, at + 1), 0)
    if (weight > 0) weights[field] = weight
  }
  return weights
}

/** Counts the terms of the headings of a Markdown text, and those of its other lines; without code, whose words name no task. */
function countBody(body: string, vocabulary: Vocabulary): void {
  const bytes = textBytes(body)
  let isCode = false
  for (let start = 0; start < bytes.length; start++) {
    if (isFence(bytes, start)) isCode = !isCode
    else if (!isCode) {
      counts.setField(isHeading(bytes, start) ? 'headings' : 'body')
      start = vocabulary.countLine(bytes, start, counts)
      continue
    }
    const end = bytes.indexOf(NEWLINE, start)
    start = end === -1 ? bytes.length : end
  }
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

/** The strongest terms of headings and body; of those as strong, the first in the text. */
function strongest(terms: number[], units: Float64Array): number[] {
  if (terms.length <= BODY_TERMS) return terms
  const weights = new Float64Array(terms.length)
  const places = new Uint32Array(terms.length)
  for (let place = 0; place < terms.length; place++) {
    weights[place] = textWeight(terms[place] as number, units)
    places[place] = place
  }
  selectFirst(places, BODY_TERMS, (a, b) => (weights[b] as number) - (weights[a] as number) || a - b)
  return Array.from(places.subarray(0, BODY_TERMS), place => terms[place] as number)
}

/** The words that were met. They are the same in most texts. */
let vocabulary = new Vocabulary()

/** The vocabulary for the terms of a tool: their numbers are valid until the next tool's. */
export function currentVocabulary(): Vocabulary {
  if (vocabulary.isFull) vocabulary = new Vocabulary()
  return vocabulary
}

/** The counts of one text at a time. */

/** The distinct terms of a text: its stemmed words without stop words. */
export function termsOfText(text: string): string[] {
  const vocabulary = currentVocabulary()
  counts.clear()
  countText(text, vocabulary, counts)
  return counts.terms.map(term => vocabulary.termAt(term))
}

function countText(text: string, vocabulary: Vocabulary, counts: FieldCounts): void {
  const bytes = textBytes(text)
  for (let start = 0; start < bytes.length; start++) start = vocabulary.countLine(bytes, start, counts)
}

/** Counts the terms of a name: `readCsvFile` gives its parts too. Here every word tells something. */
export function countName(name: string, vocabulary: Vocabulary, counts: FieldCounts): void {
  for (const word of wordsAndParts(name)) counts.add(vocabulary.numberOf(word))
}

const encoder = new TextEncoder()
/** A unit of UTF-16 takes three bytes at most. */
const encoded = new Uint8Array(3 * TEXT_MAX)

/** Encodes the first `TEXT_MAX` units of a text as UTF-8. The next call overwrites the result. */
function textBytes(text: string): Uint8Array {
  return encoded.subarray(0, encoder.encodeInto(text.slice(0, TEXT_MAX), encoded).written)
}

/**
 * Moves the first `count` numbers by a comparison to the front, without sorting. Takes linear time, except for a few orders.
 */
export function selectFirst(
  items: Uint32Array,
  count: number,
  compare: (a: number, b: number) => number,
): void {
  let [from, to] = [0, items.length - 1]
  while (from < to) {
    const pivot = items[(from + to) >> 1] as number
    let [left, right] = [from, to]
    while (left <= right) {
      while (compare(items[left] as number, pivot) < 0) left++
      while (compare(items[right] as number, pivot) > 0) right--
      if (left > right) break
      const item = items[left] as number
      items[left++] = items[right] as number
      items[right--] = item
    }
    if (count <= right) to = right
    else if (count > left) from = left
    else return
  }
}
