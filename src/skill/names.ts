export const TOOL_NAME_MAX = 64

const TOOL_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** True for a bare name: 1 to 64 of `a-z`, `0-9`, `-`, with no hyphen first, last or doubled. */
export function isToolName(text: string): boolean {
  return text.length <= TOOL_NAME_MAX && TOOL_NAME.test(text)
}

/** Says which part of the name rule a string breaks, as the end of a sentence; null if it breaks none. */
export function toolNameProblem(text: string): string | null {
  if (isToolName(text)) return null
  if (text === '') return 'is empty'
  if (text.length > TOOL_NAME_MAX)
    return `has ${text.length} characters; at most ${TOOL_NAME_MAX} are allowed`
  const wrong = /[^a-z0-9-]/u.exec(text)
  if (wrong) return `contains ${JSON.stringify(wrong[0])}; only a-z, 0-9 and "-" are allowed`
  return 'begins, ends or doubles a hyphen'
}

/** The tag of the tools that ship with the library. Only the loader adds it. */
export const INTERNAL_TAG = 'meta-internal'

/**
 * Normalizes tags for comparison: lowercase, with every run of characters other than letters and digits
 * replaced by one hyphen, none first or last, each tag once, in the author's order.
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
