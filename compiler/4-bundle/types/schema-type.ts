import { orNull } from '../../../src/base/attempt.js'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.js'

/** The depth to which nested references are expanded; deeper ones become `unknown`. */
const DEPTH_MAX = 32

/** How often a reference is written out within itself, so that a tree's children are typed as well. */
const REPEATS_MAX = 2

/** Schemas that are written out, each thousand characters of a type counting as one; all after them is anything. */
const SCHEMAS_MAX = 1_000

/**
 * A JSON Schema as a TypeScript type: exact, or wider where a type cannot express it.
 *
 * @param given true for input, where a property with a default is optional
 */
export function schemaType(schema: JsonObject, given: boolean): string {
  return typeOf(schema, { whole: schema, given, depth: 0, within: [], budget: { left: SCHEMAS_MAX } })
}

interface SchemaNode {
  whole: JsonObject
  given: boolean
  depth: number
  /** The references that are being written out, outermost first. */
  within: readonly string[]
  /** The budget of one type, shared by all its places. */
  budget: { left: number }
}

function typeOf(schema: JsonValue | undefined, node: SchemaNode): string {
  if (schema === false) return 'never'
  if (!isJsonObject(schema) || node.depth > DEPTH_MAX || node.budget.left <= 0) return 'unknown'
  node.budget.left--
  const type = joinedType(schema, node)
  node.budget.left -= type.length / 1_000
  return type
}

/** The intersection of a schema's parts. */
function joinedType(schema: JsonObject, node: SchemaNode): string {
  const inner = { ...node, depth: node.depth + 1 }
  const parts = [
    ownType(schema, inner),
    ...alternatives(schema, inner),
    ...(Array.isArray(schema.allOf) ? schema.allOf.map(one => typeOf(one, inner)) : []),
    referredType(schema, inner),
  ]
  const [only = 'unknown', ...others] = new Set(parts.filter(part => part !== 'unknown'))
  return others.length === 0 ? only : [only, ...others].map(grouped).join(' & ')
}

function referredType({ $ref }: JsonObject, node: SchemaNode): string {
  if (typeof $ref !== 'string') return 'unknown'
  if (node.within.filter(one => one === $ref).length >= REPEATS_MAX) return 'unknown'
  return typeOf(targetOf($ref, node.whole), { ...node, within: [...node.within, $ref] })
}

function ownType(schema: JsonObject, node: SchemaNode): string {
  if ('const' in schema) return literalType(schema.const)
  if (Array.isArray(schema.enum)) return union(schema.enum.map(literalType))
  const { type = 'properties' in schema ? 'object' : undefined } = schema
  if (type === undefined) return 'unknown'
  return union([...new Set([type].flat())].map(one => namedType(one, schema, node)))
}

function namedType(type: JsonValue, schema: JsonObject, node: SchemaNode): string {
  switch (type) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return type
    case 'integer':
      return 'number'
    case 'array':
      return arrayType(schema, node)
    case 'object':
      return objectType(schema, node)
    default:
      return 'unknown'
  }
}

function arrayType({ prefixItems, items }: JsonObject, node: SchemaNode): string {
  if (!Array.isArray(prefixItems)) return `readonly ${grouped(typeOf(items ?? true, node))}[]`
  // An array may have fewer items than `prefixItems` describes.
  const first = prefixItems.map(item => `${grouped(typeOf(item, node))}?`)
  return `readonly [${[...first, ...(items === false ? [] : [`...${grouped(typeOf(items ?? true, node))}[]`])].join(', ')}]`
}

function objectType(schema: JsonObject, node: SchemaNode): string {
  const { properties, required, additionalProperties = schema.unevaluatedProperties } = schema
  const known = isJsonObject(properties) ? Object.entries(properties) : []
  const needed = new Set(Array.isArray(required) ? required : [])
  const lines = known.map(([name, property]) => {
    const hasDefault = node.given && isJsonObject(property) && 'default' in property
    const optional = needed.has(name) && !hasDefault ? '' : '?'
    return `${comment(property)}${literal(name)}${optional}: ${typeOf(property, node)}`
  })
  const named = new Set<JsonValue>(known.map(([name]) => name))
  for (const name of needed)
    if (typeof name === 'string' && !named.has(name)) lines.push(`${literal(name)}: unknown`)
  // An object with named properties has no others unless the schema allows them: a misspelt one is an error.
  const isOpen =
    additionalProperties === undefined
      ? !isJsonObject(properties) || isJsonObject(schema.patternProperties)
      : additionalProperties !== false
  // TypeScript cannot type further properties otherwise than the named ones.
  if (isOpen)
    lines.push(
      `[name: string]: ${lines.length === 0 ? typeOf(additionalProperties ?? true, node) : 'unknown'}`,
    )
  return lines.length === 0 ? 'Record<string, never>' : `{ ${lines.join('; ')} }`
}

function comment(schema: JsonValue): string {
  const text = isJsonObject(schema) && typeof schema.description === 'string' ? schema.description : ''
  return text === '' ? '' : `/** ${commentText(text)} */ `
}

/** Escapes text so that it ends neither its comment nor its line. */
export function commentText(text: string): string {
  return text
    .replace(/\*\//g, '* /')
    .replace(/[\s\u2028\u2029]+/g, ' ')
    .trim()
}

function alternatives({ anyOf, oneOf }: JsonObject, node: SchemaNode): string[] {
  return [anyOf, oneOf].flatMap(list =>
    Array.isArray(list) ? [union(list.map(one => typeOf(one, node)))] : [],
  )
}

function union(types: readonly string[]): string {
  if (types.length === 0) return 'never'
  return types.includes('unknown') ? 'unknown' : [...new Set(types)].join(' | ')
}

function grouped(type: string): string {
  return /[|& ]/.test(type) ? `(${type})` : type
}

/** A value as code in which no line ends. */
export function literal(value: string | number | boolean | null): string {
  return JSON.stringify(value).replace(/[\u2028\u2029]/g, end => `\\u${end.charCodeAt(0).toString(16)}`)
}

function literalType(value: JsonValue | undefined): string {
  return typeof value === 'object' && value !== null ? 'unknown' : literal(value ?? null)
}

/** The target of a reference inside the schema. */
function targetOf(ref: string, whole: JsonObject): JsonValue | undefined {
  if (ref !== '#' && !ref.startsWith('#/')) return undefined
  const names = ref.split('/').slice(1)
  return names.reduce<JsonValue | undefined>((at, name) => {
    // A stray `%` cannot be decoded.
    const decoded = orNull(() => decodeURIComponent(name))
    const key = decoded?.replaceAll('~1', '/').replaceAll('~0', '~')
    return key !== undefined && isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined
  }, whole)
}
