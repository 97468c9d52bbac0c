import { disk } from '#disk'
import { AgentAppsError } from '../src/error.js'
import { isJsonObject, type JsonObject } from '../src/json.js'
import type { Context } from './context.js'
import { sourceOf } from './make-tool.js'
import type { ToolDef } from './tool-def.js'

/**
 * What a tool gets of a caller's arguments: a copy, compared with the tool's `params` and with its defaults filled in.
 *
 * @throws ARGS_INVALID with one issue for each fault, SCHEMA_INVALID where `params` itself cannot be used
 */
export async function checkArguments(tool: ToolDef, args: unknown, ctx: Context): Promise<unknown> {
  const { params, metadata, role } = tool.frontmatter
  if (params === undefined) {
    // Whose body is another tool takes what that takes; a middleware takes its configuration.
    const takesAny = metadata.delegate !== undefined || role === 'middleware'
    if (takesAny || args === undefined || (isJsonObject(args) && Object.keys(args).length === 0)) return args
    throw new AgentAppsError('ARGS_INVALID', `The tool "${tool.name}" takes no arguments.`, {
      hint: 'Leave them out, or declare `metadata.params`.',
      tool: tool.name,
    })
  }
  // Whoever calls without arguments means none of them, wherever the tool takes an object.
  const given = args === undefined && (params.type ?? 'object') === 'object' ? {} : args
  return compare(tool, 'params', given, ctx)
}

/**
 * Compares what a tool gave with its `returns`, and gives it back.
 *
 * @throws RESULT_INVALID with one issue for each fault, SCHEMA_INVALID where `returns` itself cannot be used
 */
export async function checkResult(tool: ToolDef, result: unknown, ctx: Context): Promise<unknown> {
  if (tool.frontmatter.returns !== undefined) await compare(tool, 'returns', result, ctx)
  return result
}

type Part = 'params' | 'returns'

async function compare(tool: ToolDef, part: Part, value: unknown, ctx: Context): Promise<unknown> {
  const written = tool.frontmatter[part] ?? {}
  const schema = '$resolve' in written ? await resolved(written, ctx) : written
  ctx.run.tool[part] = schema
  // Loaded when the first schema is needed: most of what a host does needs none.
  const { compareWith } = await import('./validate-schema.js')
  const { fault, ...verdict } = await compareWith({ tool: tool.name, part, schema, value }, () =>
    compiled(tool, part, schema),
  )
  if (fault) throw new AgentAppsError(fault.code, fault.message, { ...fault, tool: tool.name })
  return verdict.value
}

async function resolved(schema: JsonObject, ctx: Context): Promise<JsonObject> {
  const { resolveJsonSchema } = await import('./resolve-json-schema.js')
  return resolveJsonSchema(schema, ctx)
}

/** What a tool's schema was compiled to; null where it was not, or is not the one that counts. */
async function compiled(tool: ToolDef, part: Part, schema: JsonObject): Promise<unknown> {
  const { state, record } = sourceOf(tool) ?? {}
  const file = record?.validators?.[part]
  if (disk === null || !state || file === undefined || record?.frontmatter[part] !== schema) return null
  const path = disk.resolve(state.dir, file)
  // A link in its place could lead to any code of this machine.
  const isThere = disk.stat(path) !== null && (await disk.isInside(state.dir, path))
  return isThere ? (await disk.importModule(path)).default : null
}
