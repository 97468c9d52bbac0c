import type { JsonObject, JsonValue } from '../../../src/base/json.js'
import type { CascadeResolution, ValueOrigin } from '../../../src/cascade/types.js'
import { type CheckedSchema, checkSchema } from '../../../src/schema/check-schema.js'
import { interpretSchema } from '../../../src/schema/interpret-schema.js'
import type { ProjectTools } from './cascade-tools.js'
import type { Slip } from './slip.js'

/**
 * Finds configurations that do not fit the `params` of their middleware, each once, where the value is
 * written. Values with `${…}` are left out: they are known only when the middleware runs.
 */
export function wrongConfigurations(
  { tools }: CascadeResolution,
  { tool: toolOf, isKnown }: ProjectTools,
): Slip[] {
  const slips = new Map<string, Slip>()
  const schemas = new Map<JsonObject, CheckedSchema | null>()
  // A value that is promoted to thousands of tools is checked once.
  const seen = new Map<ValueOrigin, Set<JsonValue>>()
  for (const { metadata, chain } of tools.values()) {
    for (const { key, tool: middleware, args } of chain) {
      const params = toolOf(middleware)?.params
      const from = metadata.get(key)?.from
      const compared = from && seen.get(from)
      if (!params || !from || compared?.has(args)) continue
      seen.set(from, (compared ?? new Set()).add(args))
      if (![from.tool, middleware].every(isKnown) || JSON.stringify(args).includes('${')) continue
      const schema = schemas.get(params) ?? soundSchema(params)
      schemas.set(params, schema)
      const [issue] = schema ? interpretSchema(params, schema, args) : []
      if (!issue) continue
      const { tool, path } = from
      const found = [key, issue.message]
      slips.set(JSON.stringify([tool, path, found]), { code: 'middleware-config', tool, path, found })
    }
  }
  return [...slips.values()]
}

/** The checked schema; null where the schema itself is at fault, which is reported for the middleware. */
function soundSchema(schema: JsonObject): CheckedSchema | null {
  if ('$resolve' in schema) return null
  const checked = checkSchema(schema)
  return 'problem' in checked ? null : checked
}
