import { isJsonObject, type JsonObject, type JsonValue } from './json.js'

/** How a stronger value joins a weaker one. */
export const MERGE_MODES = ['deep', 'replace', 'append', 'prepend', 'union'] as const
export type MergeMode = (typeof MERGE_MODES)[number]

/**
 * Joins a stronger value to a weaker one. `deep` merges mappings and replaces all else; the others than `replace`
 * take what is no list as a list of one. Neither value is changed; the result shares parts of both.
 */
export function joinValues(weak: JsonValue, strong: JsonValue, mode: MergeMode): JsonValue {
  switch (mode) {
    case 'deep':
      return isJsonObject(weak) && isJsonObject(strong) ? deepMerge(weak, strong) : strong
    case 'replace':
      return strong
    case 'append':
      return asList(weak).concat(asList(strong))
    case 'prepend':
      return asList(strong).concat(asList(weak))
    case 'union':
      return firstOccurrences(asList(weak).concat(asList(strong)))
  }
}

/** Writes a key so that it can meet no setter of a prototype, nor one that is frozen. */
export function defineKey(object: JsonObject, key: string, value: JsonValue): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}

/** With a stack of its own, since values may be nested deeper than the language's. */
function deepMerge(weak: JsonObject, strong: JsonObject): JsonObject {
  const result = { ...weak }
  const open = [{ into: result, from: strong }]
  for (let job = open.pop(); job !== undefined; job = open.pop()) {
    for (const [key, value] of Object.entries(job.from)) {
      const below = Object.hasOwn(job.into, key) ? job.into[key] : undefined
      const isMapping = isJsonObject(below) && isJsonObject(value)
      const joined = isMapping ? { ...below } : value
      defineKey(job.into, key, joined)
      if (isMapping) open.push({ into: joined as JsonObject, from: value })
    }
  }
  return result
}

function asList(value: JsonValue): JsonValue[] {
  return Array.isArray(value) ? value : [value]
}

function firstOccurrences(list: readonly JsonValue[]): JsonValue[] {
  const scalars = new Set<JsonValue>()
  const objects = new Map<string, JsonValue[]>()
  return list.filter(item => {
    if (typeof item !== 'object' || item === null) return scalars.size < scalars.add(item).size
    const likely = objects.get(likeness(item))
    if (likely?.some(known => isEqual(known, item))) return false
    if (likely) likely.push(item)
    else objects.set(likeness(item), [item])
    return true
  })
}

/** A text that is the same for equal objects, so that few need to be compared. */
function likeness(object: JsonObject | JsonValue[]): string {
  return Object.entries(object)
    .map(([key, value]) => `${key}:${typeof value === 'object' ? '' : value}`)
    .sort()
    .join('\n')
}

/** True for values that are the same JSON, whatever the order of their keys. */
export function isEqual(one: JsonValue, other: JsonValue): boolean {
  const open: [JsonValue, JsonValue][] = [[one, other]]
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [a, b] = pair
    if (a === b) continue
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
    if (Array.isArray(a) !== Array.isArray(b)) return false
    const keys = Object.keys(a)
    if (keys.length !== Object.keys(b).length) return false
    for (const key of keys) {
      if (!Object.hasOwn(b, key)) return false
      open.push([(a as JsonObject)[key] ?? null, (b as JsonObject)[key] ?? null])
    }
  }
  return true
}
