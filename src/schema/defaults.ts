import { isJsonObject, type JsonObject } from '../json.js'
import type { Schema } from './check-schema.js'

/** Levels of a value that is cloned; deeper ones are refused. */
const DEPTH_MAX = 300

/** Thrown for a value that nests too deeply, or holds itself. */
export class CloneRefused extends Error {}

/** A copy of lists and plain objects; everything else in them, such as functions, stays what it is. Properties that are undefined are left out. */
export function cloneValue(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth > DEPTH_MAX) throw new CloneRefused(`at most ${DEPTH_MAX} levels`)
  if (Array.isArray(value)) return Array.from(value, item => cloneValue(item, depth + 1))
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return value
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const item = (value as Record<string, unknown>)[key]
    if (item !== undefined) define(copy, key, cloneValue(item, depth + 1))
  }
  return copy
}

/** Names that the prototype has are not assigned to: `__proto__` would replace it, and a frozen one refuses all of them. */
function define(holder: Record<string, unknown>, key: string, value: unknown): void {
  if (key in holder)
    Object.defineProperty(holder, key, { value, configurable: true, enumerable: true, writable: true })
  else holder[key] = value
}

/**
 * Fills in the defaults of properties that are missing, in a value that is ours to change: wherever a schema applies
 * without condition, and nowhere else, as nobody could say which alternative's default is meant.
 */
export function applyDefaults(root: JsonObject, targets: ReadonlyMap<string, Schema>, value: unknown): void {
  const done = new Map<object, Set<Schema>>()
  visit(root, value)

  function visit(schema: unknown, holder: unknown): void {
    if (!isJsonObject(schema) || typeof holder !== 'object' || holder === null) return
    const seen = done.get(holder) ?? new Set()
    if (seen.has(schema)) return
    done.set(holder, seen.add(schema))
    if (typeof schema.$ref === 'string') visit(targets.get(schema.$ref), holder)
    for (const one of Array.isArray(schema.allOf) ? schema.allOf : []) visit(one, holder)
    if (Array.isArray(holder)) visitItems(schema, holder)
    else visitProperties(schema, holder as Record<string, unknown>)
  }

  function visitItems({ items, prefixItems, additionalItems }: JsonObject, list: unknown[]): void {
    const tuple = Array.isArray(items) ? items : Array.isArray(prefixItems) ? prefixItems : []
    const rest = Array.isArray(items) ? additionalItems : items
    for (const [index, item] of list.entries()) visit(index < tuple.length ? tuple[index] : rest, item)
  }

  function visitProperties(schema: JsonObject, holder: Record<string, unknown>): void {
    const properties = isJsonObject(schema.properties) ? schema.properties : {}
    for (const [key, property] of Object.entries(properties)) {
      const isMissing = !Object.hasOwn(holder, key)
      if (isMissing && isJsonObject(property) && property.default !== undefined)
        define(holder, key, cloneValue(property.default))
      if (Object.hasOwn(holder, key)) visit(property, holder[key])
    }
    if (!isJsonObject(schema.additionalProperties)) return
    for (const [key, item] of Object.entries(holder))
      if (!Object.hasOwn(properties, key)) visit(schema.additionalProperties, item)
  }
}
