import { isJsonObject, type JsonObject } from '../base/json.js'

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

/** Deeper values could overflow the stack. The compiler's own limit is lower. */
const DEPTH_MAX = 500

/** True for a plain object that is not nested too deeply. */
export function isShallowObject(value: unknown): value is JsonObject {
  return isJsonObject(value) && isShallow(value, DEPTH_MAX)
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth > 0 && Object.values(value).every(inner => isShallow(inner, depth - 1))
}

export function isString(value: unknown): value is string {
  return typeof value === 'string'
}
