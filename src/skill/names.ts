/** The most characters of a name that loads. */
const TOOL_NAME_MAX = 200

/** The most characters of a name in the open Agent Skills specification. */
export const SPEC_NAME_MAX = 64

const TOOL_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** True for a bare name: 1 to 200 of `a-z`, `0-9`, `-`, with no hyphen first, last or doubled. */
export function isToolName(text: string): boolean {
  return text.length <= TOOL_NAME_MAX && TOOL_NAME.test(text)
}

/** True for a bare name, or one qualified by a namespace. */
export function isName(text: string): boolean {
  return isToolName(text) || isQualifiedName(text)
}

/** `acme:deploy`: the tool `deploy` of the namespace `acme`. */
export function isQualifiedName(text: string): boolean {
  const namespace = namespaceOf(text)
  return namespace.length > 1 && isToolName(namespace) && isToolName(labelOf(text))
}

/** The namespace of a name; empty for a bare name. */
export function namespaceOf(name: string): string {
  return name.slice(0, Math.max(0, name.indexOf(':')))
}

/** A name without its namespace. */
export function labelOf(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

/** Returns why a string is not a name, as the end of a sentence; null if it is one. */
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

/** The tag of tools that no list has: those for a run of the tool `agent`, and callbacks, whose name a model gets. */
export const RUN_TAG = 'meta-agent-run'

/** The tag of the library's tools that exist only where the host opened a workspace. */
export const WORKSPACE_TAG = 'meta-workspace'

/**
 * Normalizes tags for comparison: lowercase, with every run of characters other than letters and digits
 * replaced by one hyphen, none first or last, each tag once, in the author's order.
 *
 * `['API', 'slow  call', 'api']` → `['api', 'slow-call']`
 */
export function normalizeTags(tags: readonly string[]): string[] {
  const normalized = tags.map(tag =>
    TOOL_NAME.test(tag)
      ? tag
      : tag
          .toLowerCase()
          .replace(/[^\p{L}\p{N}]+/gu, '-')
          .replace(/^-|-$/g, ''),
  )
  return [...new Set(normalized)].filter(tag => tag !== '')
}
