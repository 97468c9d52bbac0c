import { isJsonObject, type JsonObject, type JsonValue } from '../json.js'
import { nearest } from '../nearest.js'
import { type Dialect, IN_PLACE, keywordsOf, SHELVED, type Shape, TYPES } from './keywords.js'
import { linearPattern, PatternRefused } from './linear-pattern.js'

/** Limits that no honest schema comes near. */
const schemaLimits = {
  /** Characters of the schema as JSON. */
  characters: 256 * 1024,
  /** Objects and lists inside each other. */
  depth: 64,
  /** Keywords of all its subschemas together. */
  keywords: 5_000,
  /** Steps of all its patterns together. */
  patterns: 50_000,
  /** Subschemas, once every reference is written out; beyond, and where it refers to itself, it is not compiled. */
  expanded: 1_000,
}

/** A subschema: an object, or `true` for anything and `false` for nothing. */
export type Schema = JsonObject | boolean

/** What keeps a schema from being used, and where in it. */
export interface SchemaProblem {
  path: (string | number)[]
  reason: string
}

export interface CheckedSchema {
  dialect: Dialect
  /** What each `$ref` in it leads to. */
  targets: ReadonlyMap<string, Schema>
  /**
   * True where it can be made a function that takes time in proportion to the arguments: it does not refer to
   * itself and does not grow without measure.
   */
  isCompilable: boolean
  /** The keywords that mean nothing, each with its place and value: free data, or slips. */
  unknown: readonly UnknownKeyword[]
}

export interface UnknownKeyword {
  path: (string | number)[]
  keyword: string
  value: JsonValue
}

const DIALECTS: readonly [RegExp, Dialect][] = [
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, '2020-12'],
  [/^https?:\/\/json-schema\.org\/draft-07\/schema#?$/, 'draft-07'],
]

/** A schema that was looked through, or the first thing that is wrong with it. Never throws, whatever it is given. */
export function checkSchema(schema: JsonObject): CheckedSchema | { problem: SchemaProblem } {
  try {
    checkSize(schema)
    const check = new Check(schema, dialectOf(schema))
    return check.run()
  } catch (error) {
    if (error instanceof Refused) return { problem: { path: error.path, reason: error.message } }
    throw error
  }
}

class Refused extends Error {
  constructor(
    message: string,
    readonly path: (string | number)[],
  ) {
    super(message)
  }
}

/** Before anything else: what follows recurses, and a program may hand over what is no JSON. */
function checkSize(schema: JsonObject): void {
  const path: (string | number)[] = []
  let characters = 0
  const count = (length: number): void => {
    characters += length
    if (characters > schemaLimits.characters)
      throw new Refused(`it has more than ${schemaLimits.characters} characters`, [])
  }
  const visit = (value: unknown): void => {
    if (typeof value === 'string') count(value.length + 2)
    else if (typeof value !== 'object' || value === null) {
      if (!['number', 'boolean', 'undefined'].includes(typeof value) && value !== null)
        throw new Refused(`it holds a ${typeof value}, which JSON has not`, [...path])
      count(5)
    } else {
      if (path.length >= schemaLimits.depth)
        throw new Refused(`it nests deeper than ${schemaLimits.depth} levels`, path.slice(0, 8))
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

/** One reading of a schema. */
class Check {
  readonly #keywords: ReadonlyMap<string, Shape>
  readonly #anchors = new Map<string, Schema>()
  readonly #references: { ref: string; path: (string | number)[] }[] = []
  readonly #targets = new Map<string, Schema>()
  readonly #seen = new Set<Schema>()
  readonly #unknown: UnknownKeyword[] = []
  #count = 0
  #steps = 0
  /** True where it holds what only interpreting does in good time. */
  #isSlow = false

  constructor(
    readonly root: JsonObject,
    readonly dialect: Dialect,
  ) {
    this.#keywords = keywordsOf(dialect)
  }

  run(): CheckedSchema {
    this.#schema(this.root, [])
    for (const { ref, path } of this.#references) {
      if (!this.#targets.has(ref)) this.#targets.set(ref, this.#target(ref, path))
    }
    this.#refuseCircles()
    const isCompilable = !this.#isSlow && this.#expandedSize(this.root, new Map()) <= schemaLimits.expanded
    return { dialect: this.dialect, targets: this.#targets, isCompilable, unknown: this.#unknown }
  }

  #schema(schema: JsonValue | undefined, path: (string | number)[]): void {
    if (typeof schema === 'boolean') return
    if (!isJsonObject(schema)) throw new Refused(`a schema is a mapping, not ${typeName(schema)}`, path)
    if (this.#seen.has(schema)) return
    this.#seen.add(schema)
    for (const [keyword, value] of Object.entries(schema)) {
      if (++this.#count > schemaLimits.keywords)
        throw new Refused(`it has more than ${schemaLimits.keywords} keywords`, [])
      if (value !== undefined) this.#keyword(keyword, value, [...path, keyword])
    }
    // Comparing objects with each other takes time that grows with the square of their number.
    if (schema.uniqueItems === true && !hasPlainItems(schema)) this.#isSlow = true
    // Ajv 8.20 lets an empty list pass `contains` where the first place of a tuple is `false`.
    if (schema.contains !== undefined && (schema.prefixItems !== undefined || Array.isArray(schema.items)))
      this.#isSlow = true
  }

  #keyword(keyword: string, value: JsonValue, path: (string | number)[]): void {
    if (keyword === '$dynamicRef' || keyword === '$recursiveRef')
      throw new Refused(`"${keyword}" is not supported; use "$ref"`, path)
    // To Ajv a promise of a verdict, which to whoever asks is always true.
    if (keyword === '$async') throw new Refused('"$async" is not supported', path)
    if (keyword === '$id' && path.length > 1)
      throw new Refused('a schema inside the schema has no "$id" of its own', path)
    const shape = this.#keywords.get(keyword)
    if (shape === undefined) {
      this.#unknown.push({ path, keyword, value })
      return
    }
    this.#shape(keyword, shape, value, path)
    if (keyword === '$ref') this.#references.push({ ref: String(value), path })
    if (keyword === '$anchor') this.#anchors.set(`#${value}`, valueAt(this.root, path.slice(0, -1)) as Schema)
    if (keyword === 'patternProperties')
      for (const pattern of Object.keys(value ?? {})) this.#pattern(pattern, [...path, pattern])
  }

  #shape(keyword: string, shape: Shape, value: JsonValue, path: (string | number)[]): void {
    if (shape === 'any') return
    if (shape === 'schema or schemas')
      return this.#shape(keyword, Array.isArray(value) ? 'schemas' : 'schema', value, path)
    if (!isOf(shape, value)) {
      const hint = keyword === 'items' && Array.isArray(value) ? '; a tuple is "prefixItems"' : ''
      throw new Refused(`"${keyword}" must be ${WORDS[shape]}, not ${typeName(value)}${hint}`, path)
    }
    if (shape === 'schema') this.#schema(value, path)
    else if (shape === 'types') this.#types(value, path)
    else if (shape === 'texts') this.#texts(keyword, value, path)
    else if (shape === 'pattern') this.#pattern(String(value), path)
    else if (/^(?:schemas|schema map|dependencies|text lists)$/.test(shape)) {
      for (const [key, item] of Object.entries(value as JsonObject)) {
        const inside = [...path, Array.isArray(value) ? Number(key) : key]
        if (shape === 'text lists' || (shape === 'dependencies' && Array.isArray(item)))
          this.#texts(keyword, item, inside)
        else this.#schema(item, inside)
      }
    }
  }

  #texts(keyword: string, value: JsonValue, path: (string | number)[]): void {
    if (
      Array.isArray(value) &&
      value.every(item => typeof item === 'string') &&
      new Set(value).size === value.length
    )
      return
    throw new Refused(`"${keyword}" must be a list of different texts`, path)
  }

  #types(value: JsonValue, path: (string | number)[]): void {
    const types = Array.isArray(value) ? value : [value]
    const wrong = types.find(type => typeof type !== 'string' || !TYPES.includes(type))
    if (types.length > 0 && wrong === undefined && new Set(types).size === types.length) return
    const near = typeof wrong === 'string' ? nearest(wrong, TYPES) : null
    const found = wrong === undefined ? JSON.stringify(value) : JSON.stringify(wrong)
    const hint = near === null ? '' : `; did you mean "${near}"?`
    throw new Refused(
      `"type" must be one of ${TYPES.join(', ')}, or several, not ${found.slice(0, 80)}${hint}`,
      path,
    )
  }

  #pattern(pattern: string, path: (string | number)[]): void {
    try {
      this.#steps += linearPattern(pattern).size
      if (this.#steps > schemaLimits.patterns)
        throw new PatternRefused('the patterns before it repeat too much')
    } catch (error) {
      if (!(error instanceof PatternRefused)) throw error
      throw new Refused(
        `the pattern ${JSON.stringify(pattern.slice(0, 80))} cannot be used: ${error.message}`,
        path,
      )
    }
  }

  #target(ref: string, path: (string | number)[]): Schema {
    const shown = JSON.stringify(ref.slice(0, 80))
    if (!ref.startsWith('#'))
      throw new Refused(
        `"$ref" leads to ${shown}; only what stands in the schema itself can be referred to`,
        path,
      )
    const target = /^#(?:\/|$)/.test(ref) ? valueAt(this.root, pointer(ref)) : this.#anchors.get(ref)
    if (typeof target === 'boolean') return target
    if (!isJsonObject(target)) throw new Refused(`"$ref" leads to ${shown}, where there is no schema`, path)
    // It may lie where nothing else looks: in data of the author's own.
    this.#schema(target, pointer(ref))
    return target
  }

  /** A schema that applies itself to the same value again never comes to an end. */
  #refuseCircles(): void {
    const open = new Set<Schema>()
    const done = new Set<Schema>()
    const visit = (schema: Schema): void => {
      if (done.has(schema) || typeof schema === 'boolean') return
      if (open.has(schema)) throw new Refused('it refers to itself without end', this.#pathOf(schema))
      open.add(schema)
      for (const { keyword, schema: inner } of this.#inner(schema))
        if (IN_PLACE.has(keyword) || keyword === '$ref') visit(inner)
      open.delete(schema)
      done.add(schema)
    }
    visit(this.root)
    for (const { ref } of this.#references) visit(this.#targets.get(ref) ?? true)
  }

  #pathOf(schema: Schema): (string | number)[] {
    return this.#references.find(({ ref }) => this.#targets.get(ref) === schema)?.path ?? []
  }

  /** How many subschemas there are with every reference written out; infinite where it refers to itself. */
  #expandedSize(schema: Schema, known: Map<Schema, number>): number {
    const size = known.get(schema)
    if (size !== undefined) return size
    known.set(schema, Infinity)
    let total = 1
    if (typeof schema !== 'boolean') {
      total += listedIn(schema) / LISTED_PER_SCHEMA
      for (const { keyword, schema: inner } of this.#inner(schema))
        if (!SHELVED.has(keyword)) total += this.#expandedSize(inner, known)
    }
    known.set(schema, total)
    return total
  }

  /** The subschemas of a schema, with the keyword that applies each. */
  #inner(schema: JsonObject): { keyword: string; schema: Schema }[] {
    return Object.entries(schema).flatMap(([keyword, value]) => {
      const shape = this.#keywords.get(keyword) ?? ''
      if (keyword === '$ref') return [{ keyword, schema: this.#targets.get(String(value)) ?? true }]
      if (!/schema|dependencies/.test(shape)) return []
      const isOne = shape.startsWith('schema') && shape !== 'schema map' && !Array.isArray(value)
      const all = isOne ? [value] : Object.values(value as JsonObject)
      return all.filter(isSchema).map(one => ({ keyword, schema: one }))
    })
  }
}

/** Values and names of a list that take about as long to compare with as a subschema. */
const LISTED_PER_SCHEMA = 4

/** How many values and names a value may be compared with, one by one. */
function listedIn({ enum: values, required, dependentRequired, dependencies }: JsonObject): number {
  const lists = [
    values,
    required,
    ...[dependentRequired, dependencies].flatMap(one => Object.values(one ?? {})),
  ]
  return lists.reduce<number>((total, list) => total + (Array.isArray(list) ? list.length : 0), 0)
}

function isSchema(value: JsonValue): value is Schema {
  return typeof value === 'boolean' || isJsonObject(value)
}

/** True where the items are values that are compared at once. */
function hasPlainItems({ items }: JsonObject): boolean {
  const type = isJsonObject(items) ? items.type : undefined
  // Ajv keeps texts it has seen as keys of an object, where `__proto__` is none.
  return typeof type === 'string' && !['object', 'array', 'string'].includes(type)
}

/** The steps of a JSON pointer in a reference. */
function pointer(ref: string): string[] {
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

function valueAt(root: JsonValue, path: readonly (string | number)[]): JsonValue | undefined {
  let value: JsonValue | undefined = root
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = (value as JsonObject)[step]
  }
  return value
}

/** What a keyword must be, as the end of "must be …". */
const WORDS: Record<Shape, string> = {
  any: 'anything',
  count: 'a whole number, not negative',
  dependencies: 'a mapping',
  'filled list': 'a list with something in it',
  flag: 'true or false',
  list: 'a list',
  number: 'a number',
  pattern: 'a text',
  'positive number': 'a number greater than 0',
  schema: 'a schema',
  'schema map': 'a mapping of schemas',
  'schema or schemas': 'a schema',
  schemas: 'a list of schemas',
  text: 'a text',
  'text lists': 'a mapping of lists',
  texts: 'a list of different texts',
  types: 'the name of a type',
}

/** True where a keyword may have a value, as far as its type says. */
export function isOf(shape: Shape, value: JsonValue): boolean {
  switch (shape) {
    case 'count':
      return Number.isSafeInteger(value) && Number(value) >= 0
    case 'number':
      return Number.isFinite(value)
    case 'positive number':
      return Number.isFinite(value) && Number(value) > 0
    case 'flag':
      return typeof value === 'boolean'
    case 'pattern':
    case 'text':
      return typeof value === 'string'
    case 'schema':
      return isSchema(value)
    case 'dependencies':
    case 'schema map':
    case 'text lists':
      return isJsonObject(value)
    case 'filled list':
    case 'schemas':
      return Array.isArray(value) && value.length > 0
    case 'list':
    case 'texts':
      return Array.isArray(value)
    default:
      return true
  }
}

function typeName(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return 'nothing'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'object') return 'a mapping'
  const shown = JSON.stringify(value)
  return shown.length > 40 ? `${shown.slice(0, 39)}…` : shown
}
