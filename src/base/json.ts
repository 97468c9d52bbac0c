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

/** Returns a copy of an object without the fields that are undefined, so that absent fields have no key. */
export function definedFields<Fields extends object>(fields: Fields): Partial<Fields> {
  const defined: Partial<Fields> = {}
  for (const key of Object.keys(fields) as (keyof Fields)[])
    if (fields[key] !== undefined) defined[key] = fields[key]
  return defined
}

/** Sets an own field: assigning could replace a prototype, call its setter, or throw where it is frozen. */
export function defineField(object: object, key: string, value: unknown): void {
  if (key in object)
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
  else (object as Record<string, unknown>)[key] = value
}
