/** True for an object that is not an array. */
export function isJsonObjectLike(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The first part of a value that is not JSON, with its path; null if all of it is. */
export function notJson(value: unknown, path = 'result', above: readonly unknown[] = []): string | null {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return null
  if (typeof value === 'number') return Number.isFinite(value) ? null : `${path} is ${value}`
  if (typeof value !== 'object')
    return `${path} is ${typeof value === 'undefined' ? '' : 'a '}${typeof value}`
  if (above.includes(value)) return `${path} holds itself`
  const prototype: unknown = Object.getPrototypeOf(value)
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null)
    return `${path} is an instance of ${value.constructor?.name ?? 'a class'}`
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined && !Array.isArray(value)) continue
    const inner = Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`
    const found = notJson(item, inner, [...above, value])
    if (found !== null) return found
  }
  return null
}
