/** The tag of the tools that ship with the library. Only the loader gives it. */
export const INTERNAL_TAG = 'meta-internal'

/**
 * Tags as they are compared: lowercase, with every run of other characters than letters and digits made one
 * hyphen, none first or last, each tag once, in the author's order.
 *
 * `['API', 'slow  call', 'api']` → `['api', 'slow-call']`
 */
export function normalizeTags(tags: readonly string[]): string[] {
  const normalized = tags.map(tag =>
    tag
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .replace(/^-|-$/g, ''),
  )
  return [...new Set(normalized)].filter(tag => tag !== '')
}
