/** A value that JSON does not have, and its path. */
interface NotJson {
  /** For example `metadata.list[0]`. */
  path: string
  what: string
}

/** The first value in another that JSON does not have, or null. Undefined is allowed: JSON leaves it out. */
export function notJsonIn(root: unknown): NotJson | null {
  const open: [value: unknown, path: string][] = [[root, '']]
  const seen = new Set<unknown>()
  // The contents of a value are examined after everything beside it.
  for (const [value, path] of open) {
    const what = notJson(value)
    if (what !== null) return { path, what }
    if (typeof value !== 'object' || value === null || seen.has(value)) continue
    seen.add(value)
    for (const [key, child] of Object.entries(value)) {
      const inside = Array.isArray(value) ? `[${key}]` : path && `.${key}`
      open.push([child, path + (inside || key)])
    }
  }
  return null
}

/** Describes a value that is not JSON; null for any other. */
export function notJson(value: unknown): string | null {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? null : String(value)
    case 'bigint':
      return `${value}n`
    case 'function':
    case 'symbol':
      return typeof value
    case 'object':
      return value === null || Array.isArray(value) ? null : className(value)
    default:
      return null
  }
}

/** Returns null for a plain object, also of another realm. */
function className(value: object): string | null {
  const prototype = Object.getPrototypeOf(value)
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return null
  return String(prototype.constructor?.name || 'object of a class')
}
