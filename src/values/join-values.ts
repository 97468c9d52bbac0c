import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.js'

/** How an overriding value joins the value that it overrides. */
export const MERGE_MODES = ['deep', 'replace', 'append', 'prepend', 'union'] as const
export type MergeMode = (typeof MERGE_MODES)[number]

/**
 * Joins a value with the value that it overrides. `deep` merges objects and replaces everything else. The
 * other modes except `replace` treat a value that is not an array as an array of one. Neither value is
 * changed; the result shares parts of both.
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

/** Sets a key without calling a setter of a prototype, and even if a prototype is frozen. */
function defineKey(object: JsonObject, key: string, value: JsonValue): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}

/** Merges with an explicit stack, since values may be nested deeper than the call stack allows. */
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
  const objects = new Set<string>()
  return list.filter(item =>
    typeof item === 'object' && item !== null
      ? objects.size < objects.add(canonicalText(item)).size
      : scalars.size < scalars.add(item).size,
  )
}

/**
 * Returns a text that is equal for values that are equal as JSON, whatever the order of their keys, and
 * differs for all others. Comparing each value with each other would take quadratic time.
 */
function canonicalText(value: JsonValue): string {
  let text = ''
  const open = [value]
  while (open.length > 0) {
    const one = open.pop() ?? null
    if (typeof one !== 'object' || one === null) {
      text += `${JSON.stringify(one)},`
      continue
    }
    const keys = Object.keys(one)
    if (!Array.isArray(one)) keys.sort()
    // The end of the array is known from the number of items.
    text += Array.isArray(one) ? `[${keys.length}` : `{${JSON.stringify(keys)}`
    for (const key of keys.reverse()) open.push((one as JsonObject)[key] ?? null)
  }
  return text
}

/** True if a value has more than `most` characters of text and values inside it together. */
export function isLargerThan(most: number, value: JsonValue): boolean {
  let left = most
  const open = [value]
  while (open.length > 0 && left >= 0) {
    const one = open.pop()
    left -= 1
    if (typeof one === 'string') left -= one.length
    if (typeof one !== 'object' || one === null) continue
    if (Array.isArray(one)) {
      // A value that is too large in any case need not be examined.
      if (one.length > left) return true
      for (const item of one) open.push(item)
    } else {
      for (const [key, item] of Object.entries(one)) {
        left -= key.length
        open.push(item)
      }
    }
  }
  return left < 0
}
