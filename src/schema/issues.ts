import type { Issue } from '../base/error.js'
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.js'
import { nearest } from '../base/nearest.js'
import type { Schema } from './keywords.js'

export type Step = string | number

/** Issues that are reported for one value; further ones are left out. */
export const ISSUES_MAX = 20

/** Characters of a string or key that a message shows. */
const SHOWN_MAX = 40

/** Writes a path as code would access it. */
export function shownPath(path: readonly Step[]): string {
  const shown = path
    .map(step => {
      if (typeof step === 'number') return `[${step}]`
      return /^[A-Za-z_$][\w$-]*$/.test(step) ? `.${step}` : `[${JSON.stringify(cut(step))}]`
    })
    .join('')
  return cut(shown.replace(/^\./, ''), 200)
}

/** The value at a path of own properties; undefined without one. */
export function valueAt(root: unknown, path: readonly Step[]): unknown {
  let value = root
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = (value as Record<Step, unknown>)[step]
  }
  return value
}

/** Makes an issue, whose message has the path, the expectation and the value. */
export function issueOf(path: readonly Step[], expected: string, value: unknown): Issue {
  const found = describeValue(value)
  const where = path.length === 0 ? '' : `${shownPath(path)} `
  const isMissing = value === undefined && path.length > 0
  const message = isMissing
    ? `${where}is missing: expected ${expected}`
    : `${where}must be ${expected}, not ${found}`
  return { path: shownPath(path), expected, found, message }
}

/** Describes a value in a few words, however large it is. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return String(value)
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value))
    return value.length === 0 ? 'an empty array' : `an array of ${plural(value.length, 'item')}`
  if (typeof value !== 'object') return `a ${typeof value}`
  const keys = Object.keys(value)
  if (keys.length === 0) return 'an empty object'
  const first = keys.slice(0, 3).map(key => cut(key, 20))
  return `an object with ${first.join(', ')}${keys.length > 3 ? ', …' : ''}`
}

/** Quotes a string, shortened where it is long. */
export function quoted(text: string): string {
  return text.length > SHOWN_MAX
    ? `${JSON.stringify(text.slice(0, SHOWN_MAX))}… (${text.length} characters)`
    : JSON.stringify(text)
}

function cut(text: string, length = SHOWN_MAX): string {
  return text.length > length ? `${text.slice(0, length)}…` : text
}

const TYPE_WORDS: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'a boolean',
  object: 'an object',
  array: 'an array',
  null: 'null',
}

export function describeTypes(types: readonly string[]): string {
  return either(types.map(type => TYPE_WORDS[type] ?? type))
}

export function describeConst(value: JsonValue | undefined): string {
  return typeof value === 'object' && value !== null ? cut(JSON.stringify(value)) : describeValue(value)
}

export function describeEnum(values: readonly JsonValue[]): string {
  const shown = values.slice(0, 10).map(describeConst)
  const rest = values.length - shown.length
  return values.length === 1
    ? shown.join('')
    : `one of ${shown.join(', ')}${rest > 0 ? `, or ${rest} more` : ''}`
}

/** Subschemas that one description visits: nested alternatives multiply. */
const DESCRIBED_MAX = 50

/** Describes the values that a schema accepts, in a few words. */
export function describeSchema(schema: Schema, targets: ReadonlyMap<string, Schema>): string {
  let left = DESCRIBED_MAX
  return describe(schema, 0)

  function describe(one: Schema, depth: number): string {
    if (!isJsonObject(one)) return one ? 'anything' : 'nothing'
    const again = (inner: JsonValue | undefined): string =>
      depth > 4 || inner === undefined || --left < 0 ? 'something else' : describe(inner as Schema, depth + 1)
    if (one.const !== undefined) return describeConst(one.const)
    if (Array.isArray(one.enum)) return describeEnum(one.enum)
    const required = Array.isArray(one.required) ? one.required.slice(0, 3) : []
    if (typeof one.type === 'string' && one.type === 'object' && required.length > 0)
      return `an object with ${required.map(key => `${cut(String(key))}${kindOf(one, String(key))}`).join(', ')}`
    if (one.type !== undefined) return describeTypes([one.type].flat().map(String))
    if (typeof one.$ref === 'string') return again(targets.get(one.$ref))
    const branches = one.anyOf ?? one.oneOf
    if (Array.isArray(branches)) return either(branches.slice(0, 6).map(again))
    return 'something else'
  }
}

/** The `const` of a property after a space; an empty string without one. */
function kindOf({ properties }: JsonObject, key: string): string {
  const property = isJsonObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined
  return isJsonObject(property) && property.const !== undefined ? ` ${describeConst(property.const)}` : ''
}

/** Joins words, each once: `a`, `a or b`, `a, b or c`. */
export function either(words: readonly string[]): string {
  const all = [...new Set(words)]
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`
}

/** A count with its noun. */
export function plural(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`
}

/**
 * The end of a message that suggests the known string nearest to a value; empty where none is near.
 *
 * @param find `nearestKey` for a key, whose words may be put together in another way
 */
export function didYouMean(value: unknown, known: readonly JsonValue[], find = nearest): string {
  if (typeof value !== 'string' || value.length >= 100) return ''
  const near = find(value, known.filter(one => typeof one === 'string').slice(0, 100))
  return near === null ? '' : `; did you mean "${near}"?`
}
