import { canonicalText } from '../base/canonical-text.js'
import type { Issue } from '../base/error.js'
import type { JsonObject } from '../base/json.js'
import type { CheckedSchema } from './check-schema.js'
import {
  CHARACTERS_PER_STEP,
  Comparison,
  ComparisonTooLong,
  Fault,
  Instance,
  LISTED_PER_STEP,
  type Outcome,
} from './comparison.js'
import { equal, textLength } from './equal.js'
import {
  describeConst,
  describeEnum,
  describeTypes,
  didYouMean,
  either,
  ISSUES_MAX,
  issueOf,
  plural,
} from './issues.js'
import type { Keywords, Schema } from './keywords.js'
import { compareObject, compareUnevaluatedProperties, noteUnknownKeys } from './object-keywords.js'

/**
 * Compares a value with a schema without compiling it: where the host runs no compiled code, where that code
 * could take too long, and to word the issues. A subschema is compared with each instance once, so the
 * time is bounded by the product of their sizes.
 *
 * @returns at most 20 issues, empty for a valid value; a single one if the comparison takes too long
 */
export function interpretSchema(root: JsonObject, checked: CheckedSchema, value: unknown): Issue[] {
  try {
    const outcome = new Comparison(checked, compareKeywords).compare(root, new Instance(value))
    noteUnknownKeys(root, outcome)
    const { faults } = outcome
    const issues = new Map(faults.map(({ issue }) => [`${issue.path}\0${issue.expected}`, issue]))
    return [...issues.values()].slice(0, ISSUES_MAX)
  } catch (error) {
    if (error instanceof ComparisonTooLong)
      return [issueOf(error.instance.path, error.expected, error.instance.value)]
    throw error
  }
}

function compareKeywords(schema: Keywords, outcome: Outcome): void {
  const { value } = outcome.instance
  // A value of another type would only fail the other keywords too.
  if (!compareType(schema, outcome)) return
  compareValue(schema, outcome)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (typeof value === 'string') compareString(schema, value, outcome)
  else if (typeof value === 'number') compareNumber(schema, value, outcome)
  else if (Array.isArray(value)) compareArray(schema, value, outcome)
  else if (isObject) compareObject(schema, value, outcome)
  compareCombined(schema, outcome)
  // Last, as they apply to the parts that no other keyword has evaluated.
  if (Array.isArray(value)) compareUnevaluatedItems(schema, value, outcome)
  else if (isObject) compareUnevaluatedProperties(schema, value, outcome)
}

function compareType({ type, nullable }: Keywords, outcome: Outcome): boolean {
  if (type === undefined) return true
  const { value } = outcome.instance
  const types = [type].flat()
  if (nullable === true) types.push('null')
  if (types.some(one => isType(one, value))) return true
  outcome.fail(describeTypes(types), 'type')
  return false
}

function isType(type: string, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    case 'number':
      return Number.isFinite(value)
    default:
      // The other types have the names of `typeof`.
      return typeof value === type
  }
}

function compareValue(schema: Keywords, outcome: Outcome): void {
  const { enum: allowed } = schema
  const { value } = outcome.instance
  if (allowed !== undefined) {
    outcome.comparison.take(allowed.length / LISTED_PER_STEP, outcome.instance)
    const expected = () => describeEnum(allowed)
    if (!allowed.some(one => equal(one, value)))
      outcome.fail(expected, 'value', ({ message }) => message + didYouMean(value, allowed))
  }
  if (Object.hasOwn(schema, 'const') && !equal(schema.const, value))
    outcome.fail(() => describeConst(schema.const), 'value')
}

function compareString(schema: Keywords, value: string, outcome: Outcome): void {
  const { minLength = 0, maxLength = Infinity, pattern } = schema
  const { instance, comparison } = outcome
  if (minLength > 0 || maxLength < Infinity) {
    comparison.take(value.length / CHARACTERS_PER_STEP, instance)
    const length = textLength(value)
    if (length < minLength) outcome.fail(`a string of at least ${plural(minLength, 'character')}`)
    if (length > maxLength) outcome.fail(`a string of at most ${plural(maxLength, 'character')}`)
  }
  if (pattern !== undefined && !comparison.matches(pattern, value, instance, 'string'))
    outcome.fail(`a string that matches ${pattern.slice(0, 80)}`)
}

function compareNumber(schema: Keywords, value: number, outcome: Outcome): void {
  if (!Number.isFinite(value)) return
  const { minimum = -Infinity, maximum = Infinity, multipleOf } = schema
  const { exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = schema
  if (value < minimum) outcome.fail(`at least ${minimum}`)
  if (value > maximum) outcome.fail(`at most ${maximum}`)
  if (value <= exclusiveMinimum) outcome.fail(`more than ${exclusiveMinimum}`)
  if (value >= exclusiveMaximum) outcome.fail(`less than ${exclusiveMaximum}`)
  if (multipleOf === undefined) return
  const times = value / multipleOf
  if (times !== Number.parseInt(String(times), 10)) outcome.fail(`a multiple of ${multipleOf}`)
}

/** Compares an array with the keywords for arrays, except `unevaluatedItems`. */
function compareArray(schema: Keywords, value: readonly unknown[], outcome: Outcome): void {
  const { minItems = 0, maxItems = Infinity, uniqueItems } = schema
  if (value.length < minItems) outcome.fail(`an array of at least ${plural(minItems, 'item')}`)
  if (value.length > maxItems) outcome.fail(`an array of at most ${plural(maxItems, 'item')}`)
  if (uniqueItems === true && hasDuplicates(value, outcome)) outcome.fail('an array without duplicates')
  compareItems(schema, value, outcome)
  compareContains(schema, value, outcome)
}

function hasDuplicates(items: readonly unknown[], { instance, comparison }: Outcome): boolean {
  const seen = new Set<string>()
  for (const item of items) {
    const text = canonicalText(item)
    comparison.take(1 + text.length / CHARACTERS_PER_STEP, instance)
    if (seen.size === seen.add(text).size) return true
  }
  return false
}

function compareItems(schema: Keywords, value: readonly unknown[], outcome: Outcome): void {
  const { items, prefixItems = [], additionalItems } = schema
  const tuple = Array.isArray(items) ? items : prefixItems
  const rest = Array.isArray(items) ? additionalItems : items
  for (const index of value.keys()) {
    const item = index < tuple.length ? tuple[index] : rest
    if (item === undefined) break
    outcome.compareChild(item, index)
  }
}

function compareContains(schema: Keywords, value: readonly unknown[], outcome: Outcome): void {
  const { contains, minContains = 1, maxContains = Infinity } = schema
  if (contains === undefined) return
  const { instance, comparison } = outcome
  let count = 0
  for (const index of value.keys()) {
    if (comparison.compare(contains, instance.child(index)).faults.length > 0) continue
    outcome.evaluated.add(index)
    count++
  }
  const array = (times: string) => () => `an array that contains ${comparison.describe(contains)}${times}`
  if (count < minContains) outcome.fail(array(minContains === 1 ? '' : ` at least ${minContains} times`))
  if (count > maxContains) outcome.fail(array(` at most ${maxContains} times`))
}

/** Compares the items that no other keyword has applied to. */
function compareUnevaluatedItems(schema: Keywords, value: readonly unknown[], outcome: Outcome): void {
  const { unevaluatedItems } = schema
  if (unevaluatedItems === undefined) return
  for (const index of value.keys())
    if (!outcome.evaluated.has(index)) outcome.compareChild(unevaluatedItems, index)
}

/** Alternatives that a message names; the rest it counts. */
const FORMS_MAX = 10

/** Compares with the keywords that apply more schemas to the same instance, such as `$ref`, `anyOf` and `if`. */
function compareCombined(schema: Keywords, outcome: Outcome): void {
  const { $ref, allOf = [], anyOf, oneOf, not } = schema
  const { instance, comparison } = outcome
  if ($ref !== undefined) outcome.apply(comparison.target($ref))
  for (const one of allOf) outcome.apply(one)
  if (anyOf !== undefined) compareAlternatives(anyOf, Infinity, outcome)
  if (oneOf !== undefined) compareAlternatives(oneOf, 1, outcome)
  if (not !== undefined && comparison.compare(not, instance).faults.length === 0)
    outcome.fail(() => `something else than ${comparison.describe(not)}`)
  if (schema.if === undefined) return
  const condition = comparison.compare(schema.if, instance)
  const holds = condition.faults.length === 0
  if (holds) outcome.include(condition)
  const branch = holds ? schema.then : schema.else
  if (branch !== undefined) outcome.apply(branch)
}

/** Compares with alternatives, of which at least one must fit, and no more than `most`. */
function compareAlternatives(schemas: readonly Schema[], most: number, outcome: Outcome): void {
  const outcomes = schemas.map(one => outcome.comparison.compare(one, outcome.instance))
  const fitting = outcomes.filter(({ faults }) => faults.length === 0)
  for (const one of fitting) outcome.include(one)
  if (fitting.length > most)
    outcome.fail(`exactly one of ${schemas.length} forms, and it fits ${fitting.length} of them`)
  if (fitting.length === 0) for (const fault of nearestFaults(schemas, outcomes, outcome)) outcome.add(fault)
}

/**
 * Chooses the faults to report where no alternative fits. Where only one alternative has no decisive fault,
 * its faults are returned. Otherwise one fault names what the alternatives expect.
 */
function nearestFaults(
  schemas: readonly Schema[],
  outcomes: readonly Outcome[],
  { instance, comparison }: Outcome,
): readonly Fault[] {
  const meant = outcomes.filter(({ faults }) => !faults.some(fault => isDecisive(fault, instance)))
  const [only] = meant
  if (only && meant.length === 1) return only.faults
  const merged = meant.length === 0 ? mergedFault(outcomes, instance) : null
  if (merged) return [merged]
  const forms = schemas.filter((_, index) => meant.length === 0 || meant.includes(outcomes[index] as Outcome))
  const expected = (): string => {
    const named = forms.slice(0, FORMS_MAX).map(form => comparison.describe(form))
    if (forms.length > FORMS_MAX) named.push(`one of ${forms.length - FORMS_MAX} more`)
    return either(named)
  }
  return [new Fault(instance, meant.length === 0 ? 'type' : 'other', expected)]
}

/** True for a fault in the type, or in a `const` or `enum` of the instance or of a child. */
function isDecisive({ instance: { depth }, kind }: Fault, here: Instance): boolean {
  return depth === here.depth ? kind !== 'other' : depth === here.depth + 1 && kind === 'value'
}

/** One fault for alternatives that each allow other values of the same property; else null. */
function mergedFault(outcomes: readonly Outcome[], here: Instance): Fault | null {
  const decisive = outcomes.map(({ faults }) =>
    faults.find(({ kind, instance }) => kind === 'value' && instance.depth === here.depth + 1),
  )
  const key = decisive[0]?.instance.step
  if (key === undefined || decisive.some(fault => fault?.instance.step !== key)) return null
  const expected = (): string => either(decisive.flatMap(fault => fault?.issue.expected ?? []))
  return new Fault(here.child(key), 'value', expected)
}
