import { isJsonObject, type JsonObject } from '../base/json.js'
import { nearestKey } from '../base/nearest.js'
import { Fault, Instance, LISTED_PER_STEP, type Outcome } from './comparison.js'
import { didYouMean, ISSUES_MAX, plural } from './issues.js'
import type { Keywords, Schema } from './keywords.js'

/** Compares an object with the keywords for objects, except `unevaluatedProperties`. */
export function compareObject(schema: Keywords, value: object, outcome: Outcome): void {
  const keys = Object.keys(value)
  const { minProperties = 0, maxProperties = Infinity, required, propertyNames } = schema
  if (keys.length < minProperties)
    outcome.fail(`an object of at least ${plural(minProperties, 'property', 'properties')}`)
  if (keys.length > maxProperties)
    outcome.fail(`an object of at most ${plural(maxProperties, 'property', 'properties')}`)
  if (required !== undefined) compareRequired(required, schema, value, outcome)
  compareProperties(schema, keys, outcome)
  if (propertyNames !== undefined) compareNames(propertyNames, keys, outcome)
  compareDependencies(schema, value, outcome)
}

function compareRequired(
  required: readonly string[],
  { properties = {} }: Keywords,
  value: object,
  outcome: Outcome,
): void {
  const { instance, comparison } = outcome
  comparison.take(required.length / LISTED_PER_STEP, instance)
  for (const key of required) {
    if (isPresent(value, key)) continue
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined
    const expected = () => (property === undefined ? 'something' : comparison.describe(property))
    outcome.add(new Fault(new Instance(undefined, instance, key), 'other', expected))
  }
}

function isPresent(value: object, key: string): boolean {
  return Object.hasOwn(value, key) && (value as Record<string, unknown>)[key] !== undefined
}

function compareProperties(schema: Keywords, keys: readonly string[], outcome: Outcome): void {
  const { properties = {}, patternProperties = {}, additionalProperties } = schema
  const { instance, comparison } = outcome
  const patterns = Object.entries(patternProperties)
  for (const key of keys) {
    comparison.take(1, instance)
    const schemas: Schema[] = patterns
      .filter(([pattern]) => comparison.matches(pattern, key, instance.child(key), 'name'))
      .map(([, one]) => one)
    if (Object.hasOwn(properties, key)) schemas.push(properties[key] as Schema)
    if (schemas.length > 0) for (const one of schemas) outcome.compareChild(one, key)
    else if (additionalProperties === false) refuseKey(key, Object.keys(properties), outcome)
    else if (additionalProperties !== undefined) outcome.compareChild(additionalProperties, key)
  }
}

/** Adds the fault of a key that is not allowed, and suggests the nearest known key that is missing. */
function refuseKey(key: string, known: readonly string[], outcome: Outcome): void {
  const { instance } = outcome
  const missing = () => known.filter(name => !isPresent(instance.value as object, name))
  const message = ({ path }: { path: string }) =>
    `${path} is not known here${didYouMean(key, missing(), nearestKey)}`
  outcome.add(new Fault(instance.child(key), 'other', 'no such property', message))
}

function compareNames(schema: Schema, keys: readonly string[], outcome: Outcome): void {
  const { instance, comparison } = outcome
  for (const key of keys) {
    for (const fault of comparison.compare(schema, new Instance(key, instance, key)).faults) {
      const message = () => `the name of ${fault.issue.message}`
      outcome.add(new Fault(fault.instance, fault.kind, fault.expected, message))
    }
  }
}

function compareDependencies(schema: Keywords, value: object, outcome: Outcome): void {
  for (const dependencies of [schema.dependentRequired, schema.dependentSchemas, schema.dependencies]) {
    for (const [key, needed] of Object.entries(dependencies ?? {})) {
      if (!isPresent(value, key)) continue
      if (Array.isArray(needed)) compareRequired(needed, schema, value, outcome)
      else outcome.apply(needed)
    }
  }
}

/** The keywords that do not restrict an object's other keys. */
const OPEN = new Set([
  'type',
  'properties',
  'required',
  'title',
  'description',
  'examples',
  'default',
  '$schema',
  '$id',
])

/**
 * Adds the keys that a schema leaves open and names nowhere to the faults of an object that lacks some: a key that is
 * missing was likely passed under another name.
 */
export function noteUnknownKeys(schema: JsonObject, outcome: Outcome): void {
  const { value } = outcome.instance
  if (!isJsonObject(value) || !Object.keys(schema).every(keyword => OPEN.has(keyword))) return
  const { properties, required = [] } = schema as Keywords
  if (!properties || required.every(key => isPresent(value, key))) return
  const unknown = Object.keys(value).filter(key => !Object.hasOwn(properties, key))
  for (const key of unknown.slice(0, ISSUES_MAX)) refuseKey(key, Object.keys(properties), outcome)
}

/** Compares the properties that no other keyword has applied to. */
export function compareUnevaluatedProperties(schema: Keywords, value: object, outcome: Outcome): void {
  const { unevaluatedProperties } = schema
  if (unevaluatedProperties === undefined) return
  for (const key of Object.keys(value)) {
    if (outcome.evaluated.has(key)) continue
    if (unevaluatedProperties !== false) outcome.compareChild(unevaluatedProperties, key)
    else {
      outcome.evaluated.add(key)
      refuseKey(key, [], outcome)
    }
  }
}
