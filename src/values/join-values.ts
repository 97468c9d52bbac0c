import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.js'

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
function defineKey(object: JsonObject, key: string, value: JsonValue): void {
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
  const objects = new Set<string>()
  return list.filter(item =>
    typeof item === 'object' && item !== null
      ? objects.size < objects.add(canonicalText(item)).size
      : scalars.size < scalars.add(item).size,
  )
}

/**
 * A text that is the same for values that are the same JSON, whatever the order of their keys, and for no others. Comparing each
 * with each would take time that grows with the square of their number.
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
    // Where it ends is known from how many there are.
    text += Array.isArray(one) ? `[${keys.length}` : `{${JSON.stringify(keys)}`
    for (const key of keys.reverse()) open.push((one as JsonObject)[key] ?? null)
  }
  return text
}

/** True where a value has more than so many characters of text and values inside it together. */
export function isLargerThan(most: number, value: JsonValue): boolean {
  let left = most
  const open = [value]
  while (open.length > 0 && left >= 0) {
    const one = open.pop()
    left -= 1
    if (typeof one === 'string') left -= one.length
    if (typeof one !== 'object' || one === null) continue
    if (Array.isArray(one)) {
      // What cannot fit need not be looked into.
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
