import { AgentAppsError } from '../base/error.js'
import { safeStringify } from '../serialize/safe-clone.js'
import { typeTag } from '../values/look-into.js'
import { firstFound, type StepsLeft } from '../values/path-expression.js'

/** The values that `${…}` can name. `env` contains only the variables that the configuration allows. */
export interface InterpolationRoots {
  /** The arguments of the call. */
  args?: unknown
  /** The state of the call. */
  locals?: unknown
  /** The values shared with calls below. */
  nonlocals?: unknown
  /** The running call. */
  run?: unknown
  /** The configuration. */
  config?: unknown
  /** The variables of the environment. */
  env?: Readonly<Record<string, string | undefined>>
}

/** The beginning of an expression. */
export const EXPRESSION_START = '${'

/** The roots of paths over the values of a call. */
export const ROOTS = ['args', 'locals', 'nonlocals', 'run', 'config', 'env'] as const

/** Matches `\${`, which is a literal `${`, or an expression. */
const EXPRESSION = /\\\$\{|\$\{([^{}]*)\}/g

/**
 * Replaces `${path}` in every string of a value. A string that consists of one expression becomes the value
 * itself, with its type. Otherwise values are inserted as text: objects and arrays as JSON, missing values as
 * nothing. `\${` is a literal `${`. An expression is only ever a path, and inserted values are not
 * interpolated again. Expressions with other roots (`${CLAUDE_SKILL_DIR}`) are left unchanged.
 *
 * @throws PATH_INVALID for an invalid path; LIMIT_EXCEEDED if too much would be inserted, or looked at for it
 */
export function interpolate(value: unknown, roots: InterpolationRoots): unknown {
  return new Filling(roots).fill(value, 0)
}

/** Returns the path expressions that interpolating a value reads, each once, in order. */
export function interpolationPaths(value: unknown): string[] {
  if (typeof value === 'string') return [...new Set(pathsIn(value))]
  if (!Array.isArray(value) && !isMapping(value)) return []
  return [...new Set(Object.values(value).flatMap(interpolationPaths))]
}

/** Dates, maps and bytes contain no strings to interpolate. */
function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && typeTag(value) === 'Object'
}

function pathsIn(text: string): string[] {
  return [...text.matchAll(EXPRESSION)].flatMap(([, path]) =>
    path !== undefined && namesOurs(path) ? [path.trim()] : [],
  )
}

/** The most characters that are inserted into the strings of one value. */
const CHARACTERS_MAX = 8 * 1024 * 1024
/** The most values that all of its expressions may look at. */
const STEPS_MAX = 1_000_000
const DEPTH_MAX = 1000

/** The interpolation of one value. An expression is looked up once, however often it is written. */
class Filling {
  readonly #values = new Map<string, unknown>()
  readonly #texts = new Map<string, string>()
  readonly #steps: StepsLeft = { left: STEPS_MAX }
  #characters = 0

  constructor(readonly roots: InterpolationRoots) {}

  fill(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.#fillText(value)
    if (!Array.isArray(value) && !isMapping(value)) return value
    if (depth > DEPTH_MAX) throw tooMuch(`a value nests deeper than ${DEPTH_MAX} levels`)
    if (Array.isArray(value)) return value.map(item => this.fill(item, depth + 1))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.fill(item, depth + 1)]))
  }

  #fillText(text: string): unknown {
    // Most strings of a large configuration contain no expression.
    if (!text.includes(EXPRESSION_START)) return text
    const [only] = text.matchAll(EXPRESSION)
    if (only && only[0] === text && only[1] !== undefined && namesOurs(only[1]))
      return this.#valueOf(only[1].trim())
    return text.replace(EXPRESSION, (written: string, path: string | undefined) => {
      if (path === undefined) return '${'
      return namesOurs(path) ? this.#textOf(path.trim()) : written
    })
  }

  #valueOf(path: string): unknown {
    if (!this.#values.has(path)) this.#values.set(path, firstFound(this.roots, path, this.#steps))
    return this.#values.get(path)
  }

  #textOf(path: string): string {
    const text = this.#texts.get(path) ?? asText(this.#valueOf(path))
    this.#texts.set(path, text)
    this.#characters += text.length
    if (this.#characters > CHARACTERS_MAX)
      throw tooMuch(`more than ${CHARACTERS_MAX} characters would be filled in`)
    return text
  }
}

function tooMuch(what: string): AgentAppsError {
  return new AgentAppsError('LIMIT_EXCEEDED', `This cannot be interpolated: ${what}.`, {
    hint: 'Write fewer expressions, or shorten their values.',
  })
}

/** True for an expression with one of our roots; another host's is left unchanged. */
export function namesOurs(path: string): boolean {
  const root = /^\s*([A-Za-z]+)\s*(?:$|[.[])/.exec(path)?.[1]
  return ROOTS.some(known => known === root)
}

/** Returns a value as text: objects and arrays as JSON, missing values and null as nothing. */
export function asText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? safeStringify(value) : String(value)
}
