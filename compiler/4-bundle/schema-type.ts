import { isJsonObject, type JsonObject, type JsonValue } from '../../src/json.js'

/** References inside references that are written out; what lies deeper is anything. */
const DEPTH_MAX = 32

/**
 * A JSON Schema as a type of TypeScript: what it says, or where a type cannot say it, more.
 *
 * @param given true for what somebody passes in: a property with a default may be left out there
 */
export function schemaType(schema: JsonObject, given: boolean): string {
  return typeOf(schema, { whole: schema, given, depth: 0 })
}

interface Place {
  whole: JsonObject
  given: boolean
  depth: number
}

function typeOf(schema: JsonValue | undefined, place: Place): string {
  if (schema === false) return 'never'
  if (!isJsonObject(schema) || place.depth > DEPTH_MAX) return 'unknown'
  const inner = { ...place, depth: place.depth + 1 }
  const parts = [ownType(schema, inner), ...alternatives(schema, inner)]
  if (Array.isArray(schema.allOf)) parts.push(...schema.allOf.map(one => typeOf(one, inner)))
  if (typeof schema.$ref === 'string') parts.push(typeOf(targetOf(schema.$ref, place.whole), inner))
  const said = [...new Set(parts.filter(part => part !== 'unknown'))]
  return said.length === 0
    ? 'unknown'
    : said.length === 1
      ? (said[0] as string)
      : said.map(grouped).join(' & ')
}

/** What `enum`, `const` and `type` say. */
function ownType(schema: JsonObject, place: Place): string {
  if ('const' in schema) return literalType(schema.const)
  if (Array.isArray(schema.enum)) return union(schema.enum.map(literalType))
  const { type = impliedType(schema) } = schema
  if (type === undefined) return 'unknown'
  return union([type].flat().map(one => namedType(one, schema, place)))
}

function impliedType(schema: JsonObject): string | undefined {
  return 'properties' in schema ? 'object' : undefined
}

function namedType(type: JsonValue, schema: JsonObject, place: Place): string {
  switch (type) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return type
    case 'integer':
      return 'number'
    case 'array':
      return listType(schema, place)
    case 'object':
      return objectType(schema, place)
    default:
      return 'unknown'
  }
}

function listType({ prefixItems, items }: JsonObject, place: Place): string {
  if (!Array.isArray(prefixItems)) return `readonly ${grouped(typeOf(items ?? true, place))}[]`
  // A list may be shorter than what is said of its items.
  const first = prefixItems.map(item => `${grouped(typeOf(item, place))}?`)
  return `readonly [${[...first, ...(items === false ? [] : [`...${grouped(typeOf(items ?? true, place))}[]`])].join(', ')}]`
}

function objectType({ properties, required, additionalProperties }: JsonObject, place: Place): string {
  const known = isJsonObject(properties) ? Object.entries(properties) : []
  const needed = new Set(Array.isArray(required) ? required : [])
  const lines = known.map(([name, schema]) => {
    const hasDefault = place.given && isJsonObject(schema) && 'default' in schema
    const optional = needed.has(name) && !hasDefault ? '' : '?'
    return `${comment(schema)}${JSON.stringify(name)}${optional}: ${typeOf(schema, place)}`
  })
  const unnamed = [...needed].filter(name => typeof name === 'string' && !known.some(([one]) => one === name))
  lines.push(...unnamed.map(name => `${JSON.stringify(name)}: unknown`))
  // Beside named properties, others of another type cannot be said.
  if (additionalProperties !== false)
    lines.push(
      `[name: string]: ${lines.length === 0 ? typeOf(additionalProperties ?? true, place) : 'unknown'}`,
    )
  return lines.length === 0 ? 'Record<string, never>' : `{ ${lines.join('; ')} }`
}

function comment(schema: JsonValue): string {
  const text = isJsonObject(schema) && typeof schema.description === 'string' ? schema.description : ''
  return text === '' ? '' : `/** ${commentText(text)} */ `
}

/** A text that ends neither its comment nor its line. */
export function commentText(text: string): string {
  return text
    .replace(/\*\//g, '* /')
    .replace(/[\s\u2028\u2029]+/g, ' ')
    .trim()
}

function alternatives({ anyOf, oneOf }: JsonObject, place: Place): string[] {
  return [anyOf, oneOf].flatMap(list =>
    Array.isArray(list) ? [union(list.map(one => typeOf(one, place)))] : [],
  )
}

function union(types: readonly string[]): string {
  if (types.length === 0) return 'never'
  return types.includes('unknown') ? 'unknown' : [...new Set(types)].join(' | ')
}

function grouped(type: string): string {
  return /[|& ]/.test(type) ? `(${type})` : type
}

function literalType(value: JsonValue | undefined): string {
  return typeof value === 'object' && value !== null ? 'unknown' : JSON.stringify(value ?? null)
}

/** What a reference inside the schema leads to. */
function targetOf(ref: string, whole: JsonObject): JsonValue | undefined {
  if (!ref.startsWith('#')) return undefined
  const names = ref.slice(1).split('/').slice(1)
  return names.reduce<JsonValue | undefined>((at, name) => {
    const key = decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')
    return isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined
  }, whole)
}
