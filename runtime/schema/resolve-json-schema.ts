import { isJsonObject, type JsonObject } from '../../src/base/json.js'
import { pathGet } from '../../src/values/path-expression.js'
import type { Context } from '../state/context.js'
import { contextFields } from './interpolation-roots.js'

/**
 * Returns the object that a schema's `$resolve`, a path expression, finds in a context; else the schema
 * itself.
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
