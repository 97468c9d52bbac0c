import { isToolName, toolNameProblem } from './names.js'

export function qualifiedName(namespace: string | undefined, label: string): string {
  return namespace ? `${namespace}:${label}` : label
}

/**
 * The names that a name may mean where it is written in a namespace, in the order in which they are looked
 * up: a bare name is first one of the namespace.
 */
export function namesInScope(name: string, namespace: string): string[] {
  return namespace === '' || !isToolName(name) ? [name] : [qualifiedName(namespace, name), name]
}

/**
 * The schemes of references, and prefixes that mean something to Node or npm: none of them is a namespace.
 * `data` is one, since plugins are called so, and no reference is a `data:` URL.
 */
const SCHEMES = ['bundle', 'file', 'http', 'https', 'inline', 'layer', 'mcp', 'node', 'npm']

/**
 * Returns why a string is not a namespace, as the end of a sentence; null if it is one: a name of two or more
 * characters (`c:deploy` is a path on a drive) that is not reserved.
 */
export function namespaceProblem(text: string): string | null {
  if (text.length === 1) return 'has one character, as a drive; at least 2 are needed'
  return SCHEMES.includes(text) ? `is reserved, as "${text}:" has another meaning` : toolNameProblem(text)
}
