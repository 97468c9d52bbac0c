import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.js'
import { nearest } from '../base/nearest.js'
import { type Step, valueAt } from './issues.js'
import {
  type Dialect,
  IN_PLACE,
  isSchema,
  keywordsOf,
  type Schema,
  SHAPES,
  SHELVED,
  type Shape,
  TYPES,
} from './keywords.js'
import { linearPattern, PatternRefused } from './linear-pattern.js'

/** Limits that no honest schema comes near. */
const LIMITS = {
  /** Characters of the schema as JSON. */
  characters: 256 * 1024,
  /** Objects and arrays inside each other. */
  depth: 64,
  /** Keywords of all its subschemas together. */
  keywords: 5_000,
  /** States of the automata of all its patterns together. */
  patterns: 50_000,
  /** Subschemas with every reference written out. Beyond it, and if recursive, a schema is not compiled. */
  expanded: 1_000,
}

export interface CheckedSchema {
  dialect: Dialect
  /** The schema that each `$ref` in it refers to. */
  targets: ReadonlyMap<string, Schema>
  /** True where it can become code that takes time linear in the value; else it is interpreted. */
  isCompilable: boolean
  /** The keys that are no keywords: free data, or slips. */
  unknown: readonly UnknownKeyword[]
}

interface UnknownKeyword {
  path: Step[]
  keyword: string
  value: JsonValue
}

const DIALECTS: readonly [RegExp, Dialect][] = [
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, '2020-12'],
  [/^https?:\/\/json-schema\.org\/draft-07\/schema#?$/, 'draft-07'],
]

/** Checks a schema. Returns how to use it, or its first problem. Never throws. */
export function checkSchema(
  schema: JsonObject,
): CheckedSchema | { problem: { path: Step[]; reason: string } } {
  try {
    checkSize(schema)
    return new SchemaCheck(schema, dialectOf(schema)).run()
  } catch (error) {
    if (error instanceof Refused) return { problem: { path: error.path, reason: error.message } }
    throw error
  }
}

class Refused extends Error {
  constructor(
    message: string,
    readonly path: Step[],
  ) {
    super(message)
  }
}

/** Runs first: the other checks recurse, and code may pass values that are not JSON. */
function checkSize(schema: JsonObject): void {
  const path: Step[] = []
  let characters = 0
  const count = (length: number): void => {
    characters += length
    if (characters > LIMITS.characters)
      throw new Refused(`it has more than ${LIMITS.characters} characters`, [])
  }
  const visit = (value: unknown): void => {
    if (typeof value === 'string') count(value.length + 2)
    else if (typeof value !== 'object' || value === null) {
      if (!['number', 'boolean', 'undefined'].includes(typeof value) && value !== null)
        throw new Refused(`it holds a ${typeof value}, which JSON does not have`, [...path])
      count(5)
    } else {
      if (path.length >= LIMITS.depth)
        throw new Refused(`it nests deeper than ${LIMITS.depth} levels`, path.slice(0, 8))
      for (const key of Object.keys(value)) {
        path.push(Array.isArray(value) ? Number(key) : key)
        if (key === '__proto__') throw new Refused('the key "__proto__" is not allowed', path.slice(0, -1))
        count(key.length + 4)
        visit((value as Record<string, unknown>)[key])
        path.pop()
      }
    }
  }
  visit(schema)
}

function dialectOf({ $schema }: JsonObject): Dialect {
  if ($schema === undefined) return '2020-12'
  const [, dialect] = DIALECTS.find(([pattern]) => pattern.test(String($schema))) ?? []
  if (dialect) return dialect
  const shown = JSON.stringify($schema).slice(0, 80)
  throw new Refused(`the dialect ${shown} is not supported; draft 2020-12 and draft-07 are`, ['$schema'])
}

/** The state of checking one schema. */
class SchemaCheck {
  readonly #keywords: ReadonlyMap<string, Shape>
  readonly #anchors = new Map<string, Schema>()
  readonly #references: { ref: string; path: Step[] }[] = []
  readonly #targets = new Map<string, Schema>()
  readonly #seen = new Set<Schema>()
  readonly #unknown: UnknownKeyword[] = []
  #keywordCount = 0
  #patternStates = 0
  /** True where compiled code could take too long, or decide wrongly. */
  #needsInterpreter = false

  constructor(
    readonly root: JsonObject,
    readonly dialect: Dialect,
  ) {
    this.#keywords = keywordsOf(dialect)
  }

  run(): CheckedSchema {
    this.#schema(this.root, [])
    // A target may contain more references, which this then reaches too.
    for (const { ref, path } of this.#references)
      if (!this.#targets.has(ref)) this.#targets.set(ref, this.#target(ref, path))
    const references = { keywords: this.#keywords, targets: this.#targets }
    const endless = endlessSchema(this.root, references)
    if (endless) throw new Refused('it refers to itself without end', this.#pathTo(endless))
    const isCompilable = !this.#needsInterpreter && expandedSize(this.root, references) <= LIMITS.expanded
    return { dialect: this.dialect, targets: this.#targets, isCompilable, unknown: this.#unknown }
  }

  #schema(schema: unknown, path: Step[]): void {
    if (typeof schema === 'boolean') return
    if (!isJsonObject(schema)) throw new Refused(`a schema must be an object, not ${typeName(schema)}`, path)
    if (this.#seen.has(schema)) return
    this.#seen.add(schema)
    for (const [keyword, value] of Object.entries(schema)) {
      if (++this.#keywordCount > LIMITS.keywords)
        throw new Refused(`it has more than ${LIMITS.keywords} keywords`, [])
      if (value !== undefined) this.#keyword(keyword, value, [...path, keyword])
    }
    // Compiled code compares each object with every other, which takes time quadratic in their number.
    if (schema.uniqueItems === true && !hasScalarItems(schema)) this.#needsInterpreter = true
    // Ajv 8.20 lets an empty array pass `contains` where the first schema of a tuple is `false`.
    if (schema.contains !== undefined && (schema.prefixItems !== undefined || Array.isArray(schema.items)))
      this.#needsInterpreter = true
  }

  #keyword(keyword: string, value: JsonValue, path: Step[]): void {
    if (keyword === '$dynamicRef' || keyword === '$recursiveRef')
      throw new Refused(`"${keyword}" is not supported; use "$ref"`, path)
    // Ajv's code for it returns a promise, which a caller would take for a yes.
    if (keyword === '$async') throw new Refused('"$async" is not supported', path)
    if (keyword === '$id' && path.length > 1)
      throw new Refused('a schema inside the schema has no "$id" of its own', path)
    const shape = this.#keywords.get(keyword)
    if (shape === undefined) {
      this.#unknown.push({ path, keyword, value })
      return
    }
    this.#value(keyword, shape, value, path)
    if (keyword === '$ref') this.#references.push({ ref: String(value), path })
    if (keyword === '$anchor') this.#anchors.set(`#${value}`, valueAt(this.root, path.slice(0, -1)) as Schema)
    if (keyword === 'patternProperties')
      for (const pattern of Object.keys(value ?? {})) this.#pattern(pattern, [...path, pattern])
  }

  /** Checks the value of a keyword, and the schemas in it. */
  #value(keyword: string, shape: Shape, value: JsonValue, path: Step[]): void {
    const [words, has] = SHAPES[shape]
    if (!has(value)) {
      const hint = keyword === 'items' && Array.isArray(value) ? '; a tuple is "prefixItems"' : ''
      throw new Refused(`"${keyword}" must be ${words}, not ${typeName(value)}${hint}`, path)
    }
    switch (shape) {
      case 'schema':
        return this.#schema(value, path)
      case 'schema or schemas':
        return this.#value(keyword, Array.isArray(value) ? 'schemas' : 'schema', value, path)
      case 'schemas':
      case 'schema map':
      case 'dependencies':
      case 'string arrays':
        for (const [key, item] of Object.entries(value as JsonObject)) {
          const inside = [...path, Array.isArray(value) ? Number(key) : key]
          if (shape === 'string arrays' || (shape === 'dependencies' && Array.isArray(item)))
            checkStrings(keyword, item, inside)
          else this.#schema(item, inside)
        }
        return
      case 'strings':
        return checkStrings(keyword, value, path)
      case 'types':
        return checkTypes(value, path)
      case 'pattern':
        return this.#pattern(String(value), path)
    }
  }

  #pattern(pattern: string, path: Step[]): void {
    try {
      this.#patternStates += linearPattern(pattern).size
      if (this.#patternStates > LIMITS.patterns)
        throw new PatternRefused('the patterns before it repeat too much')
    } catch (error) {
      if (!(error instanceof PatternRefused)) throw error
      throw new Refused(
        `the pattern ${JSON.stringify(pattern.slice(0, 80))} cannot be used: ${error.message}`,
        path,
      )
    }
  }

  #target(ref: string, path: Step[]): Schema {
    const shown = JSON.stringify(ref.slice(0, 80))
    if (!ref.startsWith('#'))
      throw new Refused(
        `"$ref" leads to ${shown}; a reference must lead to a part of the schema itself`,
        path,
      )
    const target = /^#(?:\/|$)/.test(ref) ? valueAt(this.root, pointerPath(ref)) : this.#anchors.get(ref)
    if (typeof target === 'boolean') return target
    if (!isJsonObject(target)) throw new Refused(`"$ref" leads to ${shown}, which is not a schema`, path)
    // It may lie under a key that is not a keyword, and so be unchecked.
    this.#schema(target, pointerPath(ref))
    return target
  }

  #pathTo(target: Schema): Step[] {
    return this.#references.find(({ ref }) => this.#targets.get(ref) === target)?.path ?? []
  }
}

function checkStrings(keyword: string, value: JsonValue, path: Step[]): void {
  const isValid =
    Array.isArray(value) &&
    value.every(item => typeof item === 'string') &&
    new Set(value).size === value.length
  if (!isValid) throw new Refused(`"${keyword}" must be ${SHAPES.strings[0]}`, path)
}

function checkTypes(value: JsonValue, path: Step[]): void {
  const types = Array.isArray(value) ? value : [value]
  const wrong = types.find(type => typeof type !== 'string' || !TYPES.includes(type))
  if (types.length > 0 && wrong === undefined && new Set(types).size === types.length) return
  const near = typeof wrong === 'string' ? nearest(wrong, TYPES) : null
  const found = JSON.stringify(wrong === undefined ? value : wrong)
  const hint = near === null ? '' : `; did you mean "${near}"?`
  throw new Refused(
    `"type" must be one of ${TYPES.join(', ')}, or several, not ${found.slice(0, 80)}${hint}`,
    path,
  )
}

/** True for arrays of scalars other than strings, which compiled code compares in linear time. */
function hasScalarItems({ items }: JsonObject): boolean {
  const type = isJsonObject(items) ? items.type : undefined
  // Ajv keeps the strings it has seen as keys of an object, which cannot have the key `__proto__`.
  return typeof type === 'string' && !['object', 'array', 'string'].includes(type)
}

/** The value of a keyword, in a few words. */
function typeName(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array'
  if (typeof value === 'object') return 'an object'
  const shown = JSON.stringify(value)
  return shown.length > 40 ? `${shown.slice(0, 39)}…` : shown
}

/** The targets of a schema's references, and the keywords by which its subschemas are found. */
interface References {
  keywords: ReadonlyMap<string, Shape>
  targets: ReadonlyMap<string, Schema>
}

function pointerPath(ref: string): string[] {
  return ref
    .split('/')
    .slice(1)
    .map(step => decode(step).replaceAll('~1', '/').replaceAll('~0', '~'))
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}

/** Finds a schema that applies itself to the same value without end; null without one. */
function endlessSchema(root: Schema, references: References): Schema | null {
  const open = new Set<Schema>()
  const done = new Set<Schema>()
  const visit = (schema: Schema): Schema | null => {
    if (typeof schema === 'boolean' || done.has(schema)) return null
    if (open.has(schema)) return schema
    open.add(schema)
    for (const [keyword, inner] of subschemas(schema, references)) {
      const endless = keyword === '$ref' || IN_PLACE.has(keyword) ? visit(inner) : null
      if (endless) return endless
    }
    open.delete(schema)
    done.add(schema)
    return null
  }
  for (const schema of [root, ...references.targets.values()]) {
    const endless = visit(schema)
    if (endless) return endless
  }
  return null
}

/** Values of an `enum` or names of a `required` that take about as long to compare as a subschema. */
const LISTED_PER_SCHEMA = 4

/** Counts the subschemas with every reference written out; infinite for a recursive schema. */
function expandedSize(root: Schema, references: References): number {
  const sizes = new Map<Schema, number>()
  const sizeOf = (schema: Schema): number => {
    const known = sizes.get(schema)
    if (known !== undefined) return known
    sizes.set(schema, Infinity)
    let size = 1
    if (typeof schema !== 'boolean') {
      size += listedIn(schema) / LISTED_PER_SCHEMA
      for (const [keyword, inner] of subschemas(schema, references))
        if (!SHELVED.has(keyword)) size += sizeOf(inner)
    }
    sizes.set(schema, size)
    return size
  }
  return sizeOf(root)
}

/** How many values and names a schema lists, each of which a value may have to be compared with. */
function listedIn({ enum: values, required, dependentRequired, dependencies }: JsonObject): number {
  return [values, required, ...[dependentRequired, dependencies].flatMap(one => Object.values(one ?? {}))]
    .filter(Array.isArray)
    .reduce((total, listed) => total + listed.length, 0)
}

/** The shapes of the keywords that apply schemas. */
const SCHEMA_SHAPES: ReadonlySet<Shape | undefined> = new Set<Shape>([
  'schema',
  'schemas',
  'schema map',
  'schema or schemas',
  'dependencies',
])

/** The subschemas directly in a schema, with the keyword that applies each. */
function subschemas(schema: JsonObject, { keywords, targets }: References): [keyword: string, Schema][] {
  return Object.entries(schema).flatMap(([keyword, value]): [string, Schema][] => {
    if (keyword === '$ref') return [[keyword, targets.get(String(value)) ?? true]]
    const shape = keywords.get(keyword)
    if (!SCHEMA_SHAPES.has(shape)) return []
    const isMap = shape === 'schema map' || shape === 'dependencies'
    const inner = isMap || Array.isArray(value) ? Object.values(value as JsonObject) : [value]
    return inner.filter(isSchema).map(one => [keyword, one])
  })
}
