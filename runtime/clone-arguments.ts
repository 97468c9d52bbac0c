/** Deeper levels are the caller's; no schema lets them through. */
const DEPTH_MAX = 400

/**
 * A copy of arguments: their mappings and lists, at any depth. What is neither, like a function, a date or an
 * instance of a class, stays the caller's.
 */
export function cloneArguments(value: unknown, copies = new Map<unknown, unknown>(), depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return value
  const known = copies.get(value)
  if (known !== undefined) return known
  const isList = Array.isArray(value)
  const prototype = isList ? null : Object.getPrototypeOf(value)
  if (prototype !== null && prototype !== Object.prototype) return value
  // Spreading makes own properties, whatever the keys are; after that, assigning meets no setter.
  const copy = (isList ? [...value] : { ...value }) as Record<string, unknown>
  copies.set(value, copy)
  for (const key of Object.keys(copy)) {
    const item = copy[key]
    if (typeof item === 'object' && item !== null) copy[key] = cloneArguments(item, copies, depth + 1)
  }
  return copy
}
