/** Keys that could reach an object's prototype, and are not allowed in frontmatter. */
export const FORBIDDEN_KEYS: readonly string[] = ['__proto__', 'constructor', 'prototype']

/** Finds a forbidden key in a value, at any depth; null without one. */
export function forbiddenKeyIn(value: unknown): string | null {
  const open = [value]
  while (open.length > 0) {
    const one = open.pop()
    if (typeof one !== 'object' || one === null) continue
    const key = Array.isArray(one) ? undefined : Object.keys(one).find(name => FORBIDDEN_KEYS.includes(name))
    if (key !== undefined) return key
    for (const child of Object.values(one)) open.push(child)
  }
  return null
}
