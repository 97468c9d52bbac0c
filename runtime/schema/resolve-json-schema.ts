import { isJsonObject, type JsonObject } from '../../src/base/json.js'
import { pathGet } from '../../src/values/path-expression.js'
import type { Context } from '../state/context.js'
import { contextFields } from './interpolation-roots.js'

/**
 * The schema that holds in a context: where a schema has a `$resolve`, a path expression, the object that it
 * finds in the context stands in the schema's place. Where it finds none, the schema holds as it is written.
 *
 * @throws PATH_INVALID
 */
export function resolveJsonSchema(schema: JsonObject, ctx: Context): JsonObject
export function resolveJsonSchema(schema: JsonObject | undefined, ctx: Context): JsonObject | undefined
export function resolveJsonSchema(schema: JsonObject | undefined, ctx: Context): JsonObject | undefined {
  if (!schema || typeof schema.$resolve !== 'string') return schema
  const found = pathGet(contextFields(ctx), schema.$resolve)
  return isJsonObject(found) ? found : schema
}
