import { AgentAppsError } from '../base/error.js'
import { safeStringify } from '../serialize/safe-clone.js'
import { typeTag } from '../values/look-into.js'
import { firstFound, type StepsLeft } from '../values/path-expression.js'

/** What `${…}` can name. `env` holds only the variables that the configuration lets through. */
export interface InterpolationRoots {
  args?: unknown
  locals?: unknown
  nonlocals?: unknown
  run?: unknown
  config?: unknown
  env?: Readonly<Record<string, string | undefined>>
}

/** What an expression begins with. */
export const EXPRESSION_START = '${'

/** What a path over the values of a call begins with. */
export const ROOTS = ['args', 'locals', 'nonlocals', 'run', 'config', 'env'] as const

/** `\${`, which is a literal `${`, or an expression. */
const EXPRESSION = /\\\$\{|\$\{([^{}]*)\}/g

/**
 * Fills `${path}` in every text of a value. A text that is one expression becomes what it names, its type kept;
 * otherwise values are joined as text, mappings and lists as JSON, and what is missing is empty. `\${` is a
 * literal `${`. An expression is a path and nothing else, and what it gives is never looked at again. What names
 * no root of ours (`${CLAUDE_SKILL_DIR}`) stays as it stands.
 *
 * @throws PATH_INVALID for an expression that is no path; LIMIT_EXCEEDED where too much would be filled in, or looked at for it
 */
export function interpolate(value: unknown, roots: InterpolationRoots): unknown {
  return new Filling(roots).fill(value, 0)
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
    path !== undefined && namesOurs(path) ? [path.trim()] : [],
  )
}

/** Characters that are filled into the texts of one value. */
const CHARACTERS_MAX = 8 * 1024 * 1024
/** Values that all of its expressions look at. */
const STEPS_MAX = 1_000_000
const DEPTH_MAX = 1000

/** The filling of one value: what an expression names is looked up once, however often it is written. */
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
    // Most texts of a large configuration.
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
    hint: 'Write fewer expressions, or give them less to fill in.',
  })
}

/** True for an expression that names a root of ours; another host's stays as it stands. */
export function namesOurs(path: string): boolean {
  const root = /^\s*([A-Za-z]+)\s*(?:$|[.[])/.exec(path)?.[1]
  return ROOTS.some(known => known === root)
}

/** A value as it stands in a text: mappings and lists as JSON, what is missing or null as nothing. */
export function asText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? safeStringify(value) : String(value)
}
