import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json.js'
import { nearest } from '../../src/base/nearest.js'
import { type CheckedSchema, checkSchema } from '../../src/schema/check-schema.js'
import { applyDefaults, cloneValue } from '../../src/schema/defaults.js'
import { interpretSchema } from '../../src/schema/interpret-schema.js'
import { keywordsOf, SHAPES, type Shape } from '../../src/schema/keywords.js'
import { limits } from '../files/limits.js'
import { type Finding, finding, type Place } from './diagnostics.js'

type SchemaPlace = (part: 'params' | 'returns', ...inside: (string | number)[]) => Place

/** Checks a tool's schemas: returns the first fault of each, or else its slips. */
export function checkSchemas(metadata: JsonObject, placeOf: SchemaPlace): Finding[] {
  return (['params', 'returns'] as const).flatMap(part => {
    const schema = metadata[part]
    if (!isJsonObject(schema)) return []
    const checked = checkSchema(schema)
    if ('problem' in checked) {
      const { path, reason } = checked.problem
      return [finding('schema-invalid', placeOf(part, ...path), part, reason)]
    }
    const slips = nearKeywords(checked).map(({ path, keyword, near }) =>
      finding('schema-near-keyword', placeOf(part, ...path), keyword, near),
    )
    for (const { path, key, type } of properties(checked))
      slips.push(finding('schema-property', placeOf(part, ...path), key, part, type))
    if (part === 'params' && metadata.role !== 'middleware') slips.push(...defaults(schema, checked, placeOf))
    const { type } = schema
    if (part === 'returns' || type === undefined || [type].flat().includes('object') || takesAny(metadata))
      return slips
    return [...slips, finding('params-not-object', placeOf(part, 'type'), JSON.stringify(type))]
  })
}

function defaults(schema: JsonObject, checked: CheckedSchema, placeOf: SchemaPlace): Finding[] {
  return refusedDefaults(schema, checked)
    .slice(0, limits.findingsPerRule)
    .map(({ path, property, problem }) =>
      finding('default-refused', placeOf('params', ...path), 'params', property, problem),
    )
}

/** Finds unknown keywords that are probably slips: near a known keyword that could have their value. */
function nearKeywords({ dialect, unknown }: CheckedSchema) {
  const keywords = keywordsOf(dialect)
  return unknown
    .flatMap(({ path, keyword, value }) => {
      const fitting = [...keywords].flatMap(([known, shape]) => (mayBe(shape, value) ? [known] : []))
      const near = keyword.startsWith('x-') ? null : nearest(keyword, fitting)
      return near === null ? [] : [{ path, keyword, near }]
    })
    .slice(0, limits.findingsPerRule)
}

const TYPES: readonly JsonValue[] = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

/**
 * Finds unknown keywords that are probably properties: `text: string`, or `text: { type: string }`. The author
 * believes that arguments are checked, and they are not.
 */
function properties({ dialect, unknown }: CheckedSchema) {
  const keywords = [...keywordsOf(dialect).keys()]
  return unknown
    .flatMap(({ path, keyword: key, value }) => {
      const type = isJsonObject(value) ? value.type : value
      const isSlip = nearest(key, keywords) !== null || key.startsWith('x-')
      const isProperty = type !== undefined && TYPES.includes(type) && !isSlip
      return isProperty ? [{ path, key, type: String(type) }] : []
    })
    .slice(0, limits.findingsPerRule)
}

function mayBe(shape: Shape, value: JsonValue): boolean {
  return SHAPES[shape][1](value) && (shape !== 'types' || typeof value === 'string' || Array.isArray(value))
}

/** True for middleware and directives, whose params may have any type: a configuration or a string. */
function takesAny({ role, tags }: JsonObject): boolean {
  const isDirective = Array.isArray(tags) && tags.some(tag => String(tag).startsWith('meta-directive-'))
  return role === 'middleware' || isDirective
}

/** A default that does not fit its own schema, so that a call which relies on it would be refused. */
interface RefusedDefault {
  path: (string | number)[]
  property: string
  problem: string
}

/** The most characters of defaults that are checked: each may be compared with the whole schema. */
const CHARACTERS_MAX = 4096

/** Finds the defaults of properties that do not fit their own schemas. */
function refusedDefaults(root: JsonObject, checked: CheckedSchema): RefusedDefault[] {
  const refused: RefusedDefault[] = []
  let room = CHARACTERS_MAX
  visit(root, [])
  return refused

  function visit(schema: JsonValue | undefined, path: (string | number)[]): void {
    if (!isJsonObject(schema) || '$resolve' in schema) return
    visitAll(schema.properties, [...path, 'properties'], (key, property, inside) => {
      if (isJsonObject(property) && property.default !== undefined) compare(String(key), property, inside)
    })
    for (const key of ['$defs', 'definitions', 'allOf', 'prefixItems']) visitAll(schema[key], [...path, key])
    for (const key of ['additionalProperties', 'additionalItems', 'items'])
      if (Array.isArray(schema[key])) visitAll(schema[key], [...path, key])
      else visit(schema[key], [...path, key])
  }

  function visitAll(
    schemas: JsonValue | undefined,
    path: (string | number)[],
    look?: (key: string | number, schema: JsonValue, path: (string | number)[]) => void,
  ): void {
    if (typeof schemas !== 'object' || schemas === null) return
    for (const [key, schema] of Object.entries(schemas)) {
      const step = Array.isArray(schemas) ? Number(key) : key
      look?.(step, schema, [...path, step])
      visit(schema, [...path, step])
    }
  }

  function compare(property: string, schema: JsonObject, path: (string | number)[]): void {
    room -= JSON.stringify(schema.default).length
    if (room < 0 || '$resolve' in schema) return
    const value = cloneValue(schema.default)
    applyDefaults(schema, checked.targets, value)
    const [issue] = interpretSchema({ properties: { [property]: schema } }, checked, { [property]: value })
    if (issue) refused.push({ path: [...path, 'default'], property, problem: issue.message })
  }
}
