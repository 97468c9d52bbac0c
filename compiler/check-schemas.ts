import { isJsonObject, type JsonObject } from '../src/json.js'
import { checkSchema } from '../src/schema/check-schema.js'
import { type Finding, finding, type Place } from './diagnostics.js'

export type SchemaPlace = (part: 'params' | 'returns', ...inside: (string | number)[]) => Place

/** What is wrong with a tool's schemas: the first fault of each. */
export function checkSchemas(metadata: JsonObject, placeOf: SchemaPlace): Finding[] {
  return (['params', 'returns'] as const).flatMap(part => {
    const schema = metadata[part]
    if (!isJsonObject(schema)) return []
    const checked = checkSchema(schema)
    if ('problem' in checked) {
      const { path, reason } = checked.problem
      return [finding('schema-invalid', placeOf(part, ...path), part, reason)]
    }
    const { type } = schema
    if (part === 'returns' || type === undefined || [type].flat().includes('object') || takesAny(metadata))
      return []
    return [finding('params-not-object', placeOf(part, 'type'), JSON.stringify(type))]
  })
}

/** Middleware takes its configuration and a directive its text, whatever they are. */
function takesAny({ role, tags }: JsonObject): boolean {
  const isDirective = Array.isArray(tags) && tags.some(tag => String(tag).startsWith('meta-directive-'))
  return role === 'middleware' || isDirective
}
