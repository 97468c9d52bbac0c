import { canonicalText } from '../base/canonical-text.js'
import { defineField, isJsonObject, type JsonObject, type JsonValue } from '../base/json.js'

/** How an overriding value joins the value that it overrides. */
export const MERGE_MODES = ['deep', 'replace', 'append', 'prepend', 'union'] as const
export type MergeMode = (typeof MERGE_MODES)[number]

/**
 * Joins a value with the one that it overrides into a new one. `deep` merges objects and replaces all else;
 * `append`, `prepend` and `union` treat a value that is not an array as an array of one.
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

/** Merges with an explicit stack, since values may be nested deeper than the call stack allows. */
function deepMerge(weak: JsonObject, strong: JsonObject): JsonObject {
  const result = { ...weak }
  const open = [{ into: result, from: strong }]
  for (let job = open.pop(); job !== undefined; job = open.pop()) {
    for (const [key, value] of Object.entries(job.from)) {
      const below = Object.hasOwn(job.into, key) ? job.into[key] : undefined
      const isMapping = isJsonObject(below) && isJsonObject(value)
      const joined = isMapping ? { ...below } : value
      defineField(job.into, key, joined)
      if (isMapping) open.push({ into: joined as JsonObject, from: value })
    }
  }
  return result
}

function asList(value: JsonValue): JsonValue[] {
  return Array.isArray(value) ? value : [value]
}

function firstOccurrences(list: readonly JsonValue[]): JsonValue[] {
  const seen = new Set<string>()
  return list.filter(item => seen.size < seen.add(canonicalText(item)).size)
}

/** True if the characters of a value's strings and the values inside it are together more than `most`. */
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
