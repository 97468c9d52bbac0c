/** A JSON value. Frontmatter of every format is read as this. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject

/** An object of JSON. */
export interface JsonObject {
  [key: string]: JsonValue
}

/** True for an object that is neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(text => typeof text === 'string')
}
