import { defineField, isJsonObject, type JsonObject } from '../base/json.js'
import type { Schema } from './keywords.js'

/** Levels of a value that is cloned; deeper ones are refused. */
const DEPTH_MAX = 300

/** Values that may be copied for one call, and schemas that may be visited for defaults. */
const VALUES_MAX = 1_000_000

/** Thrown for a value that cannot be copied: too deep, circular, too large, or throwing when read. */
export class CloneRefused extends Error {}

/** The number of values that may still be copied. */
interface Room {
  left: number
}

export function roomForCopies(): Room {
  return { left: VALUES_MAX }
}

function take(room: Room, values: number): void {
  room.left -= values
  if (room.left < 0) throw new CloneRefused(`of at most ${VALUES_MAX} values, with all defaults`)
}

/** Copies arrays and plain objects, without undefined properties; shares all else. Throws CloneRefused. */
export function cloneValue(value: unknown, room = roomForCopies()): unknown {
  try {
    return copyOf(value, room, 0)
  } catch (error) {
    throw error instanceof CloneRefused ? error : new CloneRefused('something that can be read')
  }
}

function copyOf(value: unknown, room: Room, depth: number): unknown {
  take(room, 1)
  if (typeof value !== 'object' || value === null) return value
  if (depth > DEPTH_MAX) throw new CloneRefused(`of at most ${DEPTH_MAX} levels`)
  if (Array.isArray(value)) {
    // A sparse array can have a huge length and few items.
    if (value.length > room.left) take(room, value.length)
    return Array.from(value, item => copyOf(item, room, depth + 1))
  }
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return value
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const item = (value as Record<string, unknown>)[key]
    if (item !== undefined) defineField(copy, key, copyOf(item, room, depth + 1))
  }
  return copy
}

/** Adds missing defaults to a value, in place. Schemas among alternatives do not count. */
export function applyDefaults(
  root: JsonObject,
  targets: ReadonlyMap<string, Schema>,
  value: unknown,
  room = roomForCopies(),
): void {
  const done = new Map<object, Set<Schema>>()
  visit(root, value)

  function visit(schema: unknown, holder: unknown): void {
    if (!isJsonObject(schema) || typeof holder !== 'object' || holder === null) return
    const seen = done.get(holder) ?? new Set()
    if (seen.has(schema)) return
    take(room, 1)
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
        defineField(holder, key, cloneValue(property.default, room))
      if (Object.hasOwn(holder, key)) visit(property, holder[key])
    }
    if (!isJsonObject(schema.additionalProperties)) return
    for (const [key, item] of Object.entries(holder))
      if (!Object.hasOwn(properties, key)) visit(schema.additionalProperties, item)
  }
}
