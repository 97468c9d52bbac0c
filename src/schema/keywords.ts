/** What the value of a keyword must be. */
export type Shape =
  | 'schema'
  | 'schemas'
  | 'schema map'
  | 'schema or schemas'
  | 'dependencies'
  | 'types'
  | 'text'
  | 'texts'
  | 'text lists'
  | 'count'
  | 'number'
  | 'positive number'
  | 'flag'
  | 'list'
  | 'filled list'
  | 'pattern'
  | 'any'

export type Dialect = '2020-12' | 'draft-07'

/** The keywords that mean something, or are known to mean nothing to a validator. All others are free data. */
const COMMON: Record<string, Shape> = {
  $comment: 'text',
  $defs: 'schema map',
  $id: 'text',
  $ref: 'text',
  $resolve: 'text',
  $schema: 'text',
  additionalProperties: 'schema',
  allOf: 'schemas',
  anyOf: 'schemas',
  const: 'any',
  contains: 'schema',
  contentEncoding: 'text',
  contentMediaType: 'text',
  default: 'any',
  definitions: 'schema map',
  dependencies: 'dependencies',
  deprecated: 'flag',
  description: 'text',
  else: 'schema',
  enum: 'filled list',
  examples: 'list',
  exclusiveMaximum: 'number',
  exclusiveMinimum: 'number',
  format: 'text',
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
  nullable: 'flag',
  oneOf: 'schemas',
  pattern: 'pattern',
  patternProperties: 'schema map',
  properties: 'schema map',
  propertyNames: 'schema',
  readOnly: 'flag',
  required: 'texts',
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: 'schema',
  title: 'text',
  type: 'types',
  uniqueItems: 'flag',
  writeOnly: 'flag',
}

const KEYWORDS: Record<Dialect, ReadonlyMap<string, Shape>> = {
  'draft-07': new Map(
    Object.entries({ ...COMMON, additionalItems: 'schema', items: 'schema or schemas' } as const),
  ),
  '2020-12': new Map(
    Object.entries({
      ...COMMON,
      $anchor: 'text',
      contentSchema: 'schema',
      dependentRequired: 'text lists',
      dependentSchemas: 'schema map',
      items: 'schema',
      maxContains: 'count',
      minContains: 'count',
      prefixItems: 'schemas',
      unevaluatedItems: 'schema',
      unevaluatedProperties: 'schema',
    } as const),
  ),
}

/** The keywords of a dialect, with what they take. */
export function keywordsOf(dialect: Dialect): ReadonlyMap<string, Shape> {
  return KEYWORDS[dialect]
}

/** The keywords that apply a schema to the very value that they stand beside. */
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

/** The keywords whose schemas apply to nothing unless they are referred to. */
export const SHELVED: ReadonlySet<string> = new Set(['$defs', 'contentSchema', 'definitions'])

export const TYPES: readonly string[] = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']
