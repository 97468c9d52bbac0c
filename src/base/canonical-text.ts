import { isJsonObject, type JsonObject, type JsonValue } from './json.js'
/**
 * Returns the same string for values that are equal as JSON, in any order of keys, and different
 * ones for all others. Values may be nested deeper than the call stack allows.
 */
export function canonicalText(value: unknown): string {
  let text = ''
  const open = [value]
  while (open.length > 0) {
    const one = open.pop()
    if (typeof one !== 'object' || one === null) {
      text += `${JSON.stringify(one) ?? typeof one},`
      continue
    }
    const keys = Object.keys(one)
    if (!Array.isArray(one)) keys.sort()
    // The end of the array is known from the number of items.
    text += Array.isArray(one) ? `[${keys.length}` : `{${JSON.stringify(keys)}`
    for (const key of keys.reverse()) open.push((one as Record<string, unknown>)[key])
  }
  return text
}

/** Returns a value as JSON without white space and with sorted keys, so that equal values give equal strings. */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  return `{${Object.keys(value)
    .sort()
    .map(key => `${JSON.stringify(key)}:${canonicalJson((value as JsonObject)[key] ?? null)}`)
    .join()}}`
}
