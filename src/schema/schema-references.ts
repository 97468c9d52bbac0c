import type { JsonObject } from '../base/json.js'
import { IN_PLACE, isSchema, type Schema, SHELVED, type Shape } from './keywords.js'

/** The targets of a schema's references, and the keywords by which its subschemas are found. */
export interface References {
  keywords: ReadonlyMap<string, Shape>
  targets: ReadonlyMap<string, Schema>
}

/** The path that the JSON pointer in a `$ref` gives. */
export function pointerPath(ref: string): string[] {
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

/** Finds a schema that applies itself to the same value again, without end; null if there is none. */
export function endlessSchema(root: Schema, references: References): Schema | null {
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
export function expandedSize(root: Schema, references: References): number {
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
