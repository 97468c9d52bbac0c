import { typeTag } from './look-into.js'
import { pathGet } from './path-expression.js'
import { safeStringify } from './safe-clone.js'

/** What `${…}` can name. `env` holds only the variables that the configuration lets through. */
export interface InterpolationRoots {
  args?: unknown
  locals?: unknown
  nonlocals?: unknown
  run?: unknown
  config?: unknown
  env?: Readonly<Record<string, string | undefined>>
}

const ROOTS = ['args', 'locals', 'nonlocals', 'run', 'config', 'env'] as const

/** `\${`, which is a literal `${`, or an expression. */
const EXPRESSION = /\\\$\{|\$\{([^{}]*)\}/g

/**
 * Fills `${path}` in every text of a value. A text that is one expression becomes what it names, its type kept;
 * otherwise values are joined as text, mappings and lists as JSON, and what is missing is empty. `\${` is a
 * literal `${`. An expression is a path and nothing else, and what it gives is never looked at again. What names
 * no root of ours (`${CLAUDE_SKILL_DIR}`) stays as it stands.
 *
 * @throws PATH_INVALID for an expression that is no path
 */
export function interpolate(value: unknown, roots: InterpolationRoots): unknown {
  if (typeof value === 'string') return fill(value, roots)
  if (Array.isArray(value)) return value.map(item => interpolate(item, roots))
  if (!isMapping(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, interpolate(item, roots)]))
}

/** The path expressions that interpolating a value reads, each once, in order. */
export function interpolationPaths(value: unknown): string[] {
  if (typeof value === 'string') return [...new Set(pathsIn(value))]
  if (!Array.isArray(value) && !isMapping(value)) return []
  return [...new Set(Object.values(value).flatMap(interpolationPaths))]
}

/** A date, a map or bytes hold no text to fill. */
function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && typeTag(value) === 'Object'
}

function pathsIn(text: string): string[] {
  return [...text.matchAll(EXPRESSION)].flatMap(([, path]) =>
    path !== undefined && isOurs(path) ? [path.trim()] : [],
  )
}

function fill(text: string, roots: InterpolationRoots): unknown {
  // Most texts of a large configuration.
  if (!text.includes('${')) return text
  const [only] = text.matchAll(EXPRESSION)
  if (only && only[0] === text && only[1] !== undefined && isOurs(only[1]))
    return pathGet(roots, only[1].trim())
  return text.replace(EXPRESSION, (written: string, path: string | undefined) => {
    if (path === undefined) return '${'
    return isOurs(path) ? asText(pathGet(roots, path.trim())) : written
  })
}

function isOurs(path: string): boolean {
  const root = /^\s*([A-Za-z]+)\s*(?:$|[.[])/.exec(path)?.[1]
  return ROOTS.some(known => known === root)
}

function asText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? safeStringify(value) : String(value)
}
