import { canonicalText } from '../base/canonical-text.js'
import { CHARACTERS_PER_STEP, type Outcome } from './comparison.js'
import { plural } from './issues.js'
import type { Keywords } from './keywords.js'

/** Compares an array with the keywords for arrays, except `unevaluatedItems`. */
export function compareArray(schema: Keywords, value: readonly unknown[], outcome: Outcome): void {
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
export function compareUnevaluatedItems(schema: Keywords, value: readonly unknown[], outcome: Outcome): void {
  const { unevaluatedItems } = schema
  if (unevaluatedItems === undefined) return
  for (const index of value.keys())
    if (!outcome.evaluated.has(index)) outcome.compareChild(unevaluatedItems, index)
}
