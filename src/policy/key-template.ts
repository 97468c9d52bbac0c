import { canonicalJson } from '../base/canonical-text.js'
import { isJsonObject, type JsonValue } from '../base/json.js'
import { pathProblem, pathQuery } from '../values/path-expression.js'

/** A tool's `approval-key`: literal text, and paths into the arguments. */
export type KeyTemplate = readonly (string | { path: string })[]

const EXPRESSION = /\$\{([^{}]*)\}/
const ARGUMENT = /^args(?=$|[.[])/

/** Reads a template, or returns why it is invalid. */
export function parseKeyTemplate(written: string): KeyTemplate | { fault: string } {
  const parts = written
    .split(EXPRESSION)
    .map((part, index) => (index % 2 === 0 ? part : { path: part.trim() }))
    .filter(part => part !== '')
  const paths = parts.flatMap(part => (typeof part === 'string' ? [] : [part.path]))
  if (paths.length === 0) return { fault: 'names no argument, so that all calls would have one key' }
  for (const path of paths) {
    if (!ARGUMENT.test(path)) return { fault: `has \${${path}}, and may name arguments only` }
    const problem = pathProblem(path)
    if (problem) return { fault: `has \${${path}}, which is not a path: ${problem.message}` }
  }
  return parts
}

/**
 * The key of a call, as plain text or JSON: `42` and `"42"` are two keys. In a key of several parts, each value is JSON,
 * so that none can imitate the text around it.
 */
export function fillKey(template: KeyTemplate, args: JsonValue): { text: string; form: 'text' | 'json' } {
  const [only] = template
  if (template.length === 1 && typeof only === 'object') {
    const value = valueAt(only.path, args)
    return typeof value === 'string'
      ? { text: value, form: 'text' }
      : { text: canonicalJson(value), form: 'json' }
  }
  const texts = template.map(part =>
    typeof part === 'string' ? part : canonicalJson(valueAt(part.path, args)),
  )
  return { text: texts.join(''), form: 'text' }
}

/** The value at a path: null for nothing, an array for several values. */
function valueAt(path: string, args: JsonValue): JsonValue {
  const found = pathQuery({ args }, path) as JsonValue[]
  return found.length > 1 ? found : (found[0] ?? null)
}

/** The arguments that a key does not contain as a whole: calls that differ in them share a key. */
export function ignoredArguments(template: KeyTemplate, args: JsonValue): string[] {
  const paths = template.flatMap(part => (typeof part === 'string' ? [] : [part.path]))
  if (paths.includes('args') || !isJsonObject(args)) return []
  return Object.keys(args).filter(
    name => !paths.some(path => path === `args.${name}` || path === `args[${JSON.stringify(name)}]`),
  )
}
