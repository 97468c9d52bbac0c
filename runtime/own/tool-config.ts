import { AgentAppsError } from '../../src/base/error.js'
import { definedFields, isJsonObject, type JsonObject } from '../../src/base/json.js'
import { declaredBy } from '../../src/own/declared.js'
import { freezeArguments } from '../schema/check-arguments.js'
import { compareWith } from '../schema/validate-schema.js'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { hideSecret } from './redact.js'

const checked = new WeakMap<Globals, WeakMap<ToolDef, Promise<JsonObject>>>()

/**
 * Returns a tool's configuration in the runtime's `config.tools`: validated by the tool's schema, with defaults, and
 * frozen.
 *
 * @throws TOOL_CONFIG
 */
export function configOf(tool: ToolDef, globals: Globals): Promise<JsonObject> {
  const known = checked.get(globals) ?? new WeakMap<ToolDef, Promise<JsonObject>>()
  checked.set(globals, known)
  const found = known.get(tool) ?? check(tool, globals)
  known.set(tool, found)
  return found
}

async function check(tool: ToolDef, globals: Globals): Promise<JsonObject> {
  const given = definedFields(globals.toolConfig?.[tool.name] ?? {}) as JsonObject
  const { config: schema } = declaredBy(tool.frontmatter.metadata)
  const { enabled, timeoutMs, ...rest } = given
  const own = schema ? withSwitches(given, rest, schema) : rest
  const [unknown] = Object.keys(own)
  if (schema === null && unknown !== undefined) {
    throw invalid(tool, `it has "${unknown}", and the tool takes no configuration of its own`)
  }
  if (schema === null) return Object.freeze({})
  const { value, fault } = await compareWith(
    { tool: tool.name, part: 'params', schema, value: structuredClone(own) },
    null,
  )
  if (!fault) return freezeArguments(value) as JsonObject
  if (fault.code === 'SCHEMA_INVALID') {
    const message = fault.message.replace('"params"', '"config"')
    throw new AgentAppsError('SCHEMA_INVALID', message, { hint: fault.hint, tool: tool.name })
  }
  const faults = fault.issues?.map(({ message }) => message).join('; ') ?? fault.message
  throw invalid(tool, faults, fault.issues)
}

/** Adds `enabled` and `timeoutMs`, which are the runtime's, if the schema declares them. */
function withSwitches(given: JsonObject, rest: JsonObject, { properties }: JsonObject): JsonObject {
  const spoken = Object.keys(isJsonObject(properties) ? properties : {})
  const both = ['enabled', 'timeoutMs'].filter(key => spoken.includes(key) && key in given)
  return { ...rest, ...Object.fromEntries(both.map(key => [key, given[key] ?? null])) }
}

function invalid({ name }: ToolDef, faults: string, issues?: AgentAppsError['issues']): AgentAppsError {
  return new AgentAppsError('TOOL_CONFIG', `The configuration of the tool "${name}" is invalid: ${faults}.`, {
    hint: `Correct \`config.tools["${name}"]\` of \`createRuntime\`.`,
    tool: name,
    ...(issues && { issues }),
  })
}

/**
 * Returns the environment variables that a tool declares, as far as the host lets them through. From then on their
 * values are removed from what the runtime reports.
 */
export function environmentOf(tool: ToolDef, globals: Globals): Readonly<Record<string, string>> {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  const through = globals.config.env ?? []
  const found: Record<string, string> = {}
  for (const name of declaredBy(tool.frontmatter.metadata).env) {
    const value = through.includes(name) ? process?.env?.[name] : undefined
    if (value === undefined) continue
    found[name] = value
    hideSecret(value, globals)
  }
  return Object.freeze(found)
}
