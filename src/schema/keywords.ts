import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.js'

/** A subschema: an object, or `true`, which accepts anything, or `false`, which accepts nothing. */
export type Schema = JsonObject | boolean

/** The type that a keyword's value has, by the shape that the tables below give the keyword. */
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

/** What the value of a keyword must be. */
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

/** The keywords of a schema that was checked, whichever dialect it is in. */
export type Keywords = { readonly [Keyword in keyof Shapes]?: ShapeTypes[Shapes[Keyword]] }

/** The keywords of a dialect, with the shape of each one's value. */
export function keywordsOf(dialect: Dialect): ReadonlyMap<string, Shape> {
  return KEYWORDS[dialect]
}

/** The keywords that apply a schema to the same value that the schema around them applies to. */
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

/** How a message names each shape, after "must be". */
export const SHAPE_WORDS: Record<Shape, string> = {
  any: 'anything',
  array: 'a list',
  boolean: 'true or false',
  count: 'a whole number, not negative',
  dependencies: 'a mapping',
  'non-empty array': 'a list with something in it',
  number: 'a number',
  pattern: 'a text',
  'positive number': 'a number greater than 0',
  schema: 'a schema',
  'schema map': 'a mapping of schemas',
  'schema or schemas': 'a schema',
  schemas: 'a list of schemas',
  string: 'a text',
  'string arrays': 'a mapping of lists',
  strings: 'a list of different texts',
  types: 'the name of a type',
}

/** True where a value has the outer type of a shape; what an array or object holds is not looked at. */
export function isOf(shape: Shape, value: JsonValue): boolean {
  switch (shape) {
    case 'count':
      return Number.isSafeInteger(value) && Number(value) >= 0
    case 'number':
      return Number.isFinite(value)
    case 'positive number':
      return Number.isFinite(value) && Number(value) > 0
    case 'boolean':
      return typeof value === 'boolean'
    case 'pattern':
    case 'string':
      return typeof value === 'string'
    case 'schema':
      return isSchema(value)
    case 'dependencies':
    case 'schema map':
    case 'string arrays':
      return isJsonObject(value)
    case 'non-empty array':
    case 'schemas':
      return Array.isArray(value) && value.length > 0
    case 'array':
    case 'strings':
      return Array.isArray(value)
    default:
      return true
  }
}

export function isSchema(value: JsonValue): value is Schema {
  return typeof value === 'boolean' || isJsonObject(value)
}
