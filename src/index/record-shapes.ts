import { isJsonObject } from '../base/json.js'

/** True for a value of a kind. */
export type Check = (value: unknown) => boolean

/** A check for objects whose fields each pass their own check; other fields may be anything. */
export function hasFields(fields: Record<string, Check>): Check {
  const checks = Object.entries(fields)
  return value => isJsonObject(value) && checks.every(([key, isValid]) => isValid(value[key]))
}

export function arrayOf(isItem: Check): Check {
  return value => Array.isArray(value) && value.every(isItem)
}

export function optional(isValid: Check): Check {
  return value => value === undefined || isValid(value)
}

export function isString(value: unknown): value is string {
  return typeof value === 'string'
}
