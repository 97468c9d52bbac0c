/**
 * Freezes arguments that were copied for a call, at any depth: their objects and arrays. An instance of a
 * class is the caller's, and stays as it is.
 */
export function freezeArguments(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  if (Array.isArray(value)) {
    Object.freeze(value)
    for (const item of value) freezeArguments(item)
  } else if (Object.getPrototypeOf(value) === Object.prototype) {
    Object.freeze(value)
    for (const key in value) freezeArguments((value as Record<string, unknown>)[key])
  }
  return value
}
