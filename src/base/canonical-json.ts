import { isJsonObject, type JsonObject, type JsonValue } from './json.js'

/** A value as JSON, without white space and with the keys of objects in order, so that equal values give equal texts. */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  return `{${Object.keys(value)
    .sort()
    .map(key => `${JSON.stringify(key)}:${canonicalJson((value as JsonObject)[key] ?? null)}`)
    .join()}}`
}
