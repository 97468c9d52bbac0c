/** A value that JSON does not have, and where it stands. */
export interface NotJson {
  /** As `metadata.list[0]`. */
  path: string
  what: string
}

/**
 * The first value in something that is to be JSON which JSON does not have; null where there is none. What is
 * undefined is no such value: JSON leaves it out.
 */
export function notJsonIn(root: unknown): NotJson | null {
  const open: [value: unknown, path: string][] = [[root, '']]
  const seen = new Set<unknown>()
  // What is in a value is looked at after all that is beside it.
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

/** What a value is that JSON does not have, whatever it holds; null for any other. */
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

/** Null for a plain object, also of another realm. */
function className(value: object): string | null {
  const prototype = Object.getPrototypeOf(value)
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return null
  return String(prototype.constructor?.name || 'object of a class')
}
