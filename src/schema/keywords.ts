import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.js'

/** A subschema: an object, or `true`, which accepts anything, or `false`, which accepts nothing. */
export type Schema = JsonObject | boolean

/** The type of a keyword's value, by the keyword's shape in the tables below. */
interface ShapeTypes {
  any: JsonValue
  array: JsonValue[]
  boolean: boolean
  count: number
  dependencies: Record<string, Schema | string[]>
  'non-empty array': JsonValue[]
  number: number
  pattern: string
  'positive number': number
  schema: Schema
  'schema map': Record<string, Schema>
  'schema or schemas': Schema | Schema[]
  schemas: Schema[]
  string: string
  'string arrays': Record<string, string[]>
  strings: string[]
  types: string | string[]
}

/** The shape of a keyword's value. */
export type Shape = keyof ShapeTypes

export type Dialect = '2020-12' | 'draft-07'

/** The keywords of both dialects, with those that validate nothing. All other keys are free data. */
const COMMON = {
  $comment: 'string',
  $defs: 'schema map',
  $id: 'string',
  $ref: 'string',
  $resolve: 'string',
  $schema: 'string',
  additionalProperties: 'schema',
  allOf: 'schemas',
  anyOf: 'schemas',
  const: 'any',
  contains: 'schema',
  contentEncoding: 'string',
  contentMediaType: 'string',
  default: 'any',
  definitions: 'schema map',
  dependencies: 'dependencies',
  deprecated: 'boolean',
  description: 'string',
  else: 'schema',
  enum: 'non-empty array',
  examples: 'array',
  exclusiveMaximum: 'number',
  exclusiveMinimum: 'number',
  format: 'string',
  if: 'schema',
  maxItems: 'count',
  maxLength: 'count',
  maxProperties: 'count',
  maximum: 'number',
  minItems: 'count',
  minLength: 'count',
  minProperties: 'count',
  minimum: 'number',
  multipleOf: 'positive number',
  not: 'schema',
  nullable: 'boolean',
  oneOf: 'schemas',
  pattern: 'pattern',
  patternProperties: 'schema map',
  properties: 'schema map',
  propertyNames: 'schema',
  readOnly: 'boolean',
  required: 'strings',
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: 'schema',
  title: 'string',
  type: 'types',
  uniqueItems: 'boolean',
  writeOnly: 'boolean',
} as const

const ONLY_DRAFT_07 = { additionalItems: 'schema', items: 'schema or schemas' } as const

const ONLY_2020_12 = {
  $anchor: 'string',
  contentSchema: 'schema',
  dependentRequired: 'string arrays',
  dependentSchemas: 'schema map',
  items: 'schema',
  maxContains: 'count',
  minContains: 'count',
  prefixItems: 'schemas',
  unevaluatedItems: 'schema',
  unevaluatedProperties: 'schema',
} as const

const KEYWORDS: Record<Dialect, ReadonlyMap<string, Shape>> = {
  'draft-07': new Map<string, Shape>(Object.entries({ ...COMMON, ...ONLY_DRAFT_07 })),
  '2020-12': new Map<string, Shape>(Object.entries({ ...COMMON, ...ONLY_2020_12 })),
}

type Shapes = typeof COMMON & Omit<typeof ONLY_2020_12, 'items'> & typeof ONLY_DRAFT_07

/** The keywords of a checked schema of any dialect. */
export type Keywords = { readonly [Keyword in keyof Shapes]?: ShapeTypes[Shapes[Keyword]] }

/** The keywords of a dialect, with the shape of each one's value. */
export function keywordsOf(dialect: Dialect): ReadonlyMap<string, Shape> {
  return KEYWORDS[dialect]
}

/** The keywords that apply a schema to the same value as the schema around them. */
export const IN_PLACE: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'dependencies',
  'dependentSchemas',
  'else',
  'if',
  'not',
  'oneOf',
  'then',
])

/** The keywords whose schemas apply to nothing unless a `$ref` refers to them. */
export const SHELVED: ReadonlySet<string> = new Set(['$defs', 'contentSchema', 'definitions'])

export const TYPES: readonly string[] = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

const isString = (value: JsonValue): boolean => typeof value === 'string'
const isNonEmptyArray = (value: JsonValue): boolean => Array.isArray(value) && value.length > 0

/** How messages name each shape, after "must be", and whether a value has its outer type. */
export const SHAPES: Record<Shape, readonly [words: string, has: (value: JsonValue) => boolean]> = {
  any: ['anything', () => true],
  array: ['an array', Array.isArray],
  boolean: ['a boolean', value => typeof value === 'boolean'],
  count: ['an integer that is not negative', value => Number.isSafeInteger(value) && Number(value) >= 0],
  dependencies: ['an object', isJsonObject],
  'non-empty array': ['an array that is not empty', isNonEmptyArray],
  number: ['a number', Number.isFinite],
  pattern: ['a string', isString],
  'positive number': ['a number greater than 0', value => Number.isFinite(value) && Number(value) > 0],
  schema: ['a schema', isSchema],
  'schema map': ['an object of schemas', isJsonObject],
  'schema or schemas': ['a schema', () => true],
  schemas: ['an array of schemas', isNonEmptyArray],
  string: ['a string', isString],
  'string arrays': ['an object of arrays', isJsonObject],
  strings: ['an array of different strings', Array.isArray],
  types: ['the name of a type', () => true],
}

export function isSchema(value: JsonValue): value is Schema {
  return typeof value === 'boolean' || isJsonObject(value)
}
