import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json.js'
import type { CheckedSchema } from '../../src/schema/check-schema.js'
import { applyDefaults, cloneValue } from '../../src/schema/defaults.js'
import { interpretSchema } from '../../src/schema/interpret-schema.js'

/** A default that does not fit its own schema, so that a call which relies on it would be refused. */
export interface RefusedDefault {
  /** Its path in the schema. */
  path: (string | number)[]
  property: string
  /** What is wrong with it. */
  problem: string
}

/** The most characters of defaults that are checked: each may be compared with the whole schema. */
const CHARACTERS_MAX = 4096

/** Finds the defaults of properties that do not fit their own schemas. */
export function refusedDefaults(root: JsonObject, checked: CheckedSchema): RefusedDefault[] {
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
