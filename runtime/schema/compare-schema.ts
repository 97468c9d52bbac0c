import { disk } from '#disk'
import { AgentAppsError } from '../../src/base/error.js'
import type { JsonObject } from '../../src/base/json.js'
import { isNotEvaluated } from '../directory/not-evaluated.js'
import { ownModule } from '../directory/own-module.js'
import { writtenPlace } from '../directory/written-place.js'
import type { CallContext, Context, Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'
import { resolveJsonSchema } from './interpolation-roots.js'
import { compareWith } from './validate-schema.js'

export type Part = 'params' | 'returns'

/** Resolves the schema of a call, and sets it in `ctx.run`. */
export function resolve(part: Part, written: JsonObject, ctx: Context): JsonObject {
  const schema = '$resolve' in written ? resolveJsonSchema(written, ctx) : written
  ctx.run.tool[part] = schema
  return schema
}

/**
 * Checks a value against one of a tool's schemas, and returns a copy; of arguments with defaults filled in.
 *
 * @throws ARGS_INVALID, RESULT_INVALID, SCHEMA_INVALID
 */
export async function compare(
  tool: ToolDef,
  part: Part,
  schema: JsonObject,
  value: unknown,
  ctx: CallContext,
): Promise<unknown> {
  const written = tool.frontmatter[part] ?? ctx.chain?.schemas?.[part]
  const { fault, ...verdict } = await compareWith(
    { tool: tool.name, part, schema, value },
    schema === written ? () => compiled(tool, part, schema, ctx.globals) : null,
  )
  // The owner of the tool knows the dialect of its schemas, and checks values itself.
  if (fault?.code === 'SCHEMA_INVALID' && tool.validate === 'owner') return value
  if (fault) {
    const isItsOwn = fault.code === 'SCHEMA_INVALID' && tool.frontmatter[part] !== undefined
    const place = isItsOwn && (await writtenPlace(tool, [part], ctx.globals))
    throw new AgentAppsError(fault.code, fault.message, { ...fault, tool: tool.name, ...place })
  }
  return verdict.value
}

/** Imports the compiled validator of a tool's schema; null if it was not compiled, or another schema applies. */
async function compiled(tool: ToolDef, part: Part, schema: JsonObject, globals: Globals): Promise<unknown> {
  const source = sourceOf(tool)
  const file = source?.record.validators?.[part]
  if (!source || file === undefined || source.record.frontmatter[part] !== schema) return null
  // An index may name any code as a validator.
  if (isNotEvaluated(source, globals)) return null
  const { state, names } = source
  if (globals.config.verify) {
    const { importChecked } = await import('../directory/checked-files.js')
    return (await importChecked(state, names, file)).default
  }
  const path = await ownModule(state, file)
  return path === null ? null : (await disk.importModule(path)).default
}
