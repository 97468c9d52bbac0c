/** Freezes the objects and arrays of copied arguments, at any depth; class instances are the caller's. */
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
