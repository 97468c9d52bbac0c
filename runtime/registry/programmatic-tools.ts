import { AgentAppsError, runtimeClosed } from '../../src/base/error.js'
import { definedFields, isJsonObject, type JsonObject } from '../../src/base/json.js'
import { checkOptions } from '../../src/base/options.js'
import type { ToolPermissions } from '../../src/base/permissions.js'
import { type DefinedTool, frontmatterOf, isDefinedTool } from '../../src/own/defined-tool.js'
import { extractFrontmatter, ROLES, type Role } from '../../src/skill/frontmatter.js'
import { isToolName, RUN_TAG } from '../../src/skill/names.js'
import { notJsonIn } from '../../src/values/not-json.js'
import { forgetReference } from '../directory/caches.js'
import type { Context, Globals } from '../state/context.js'
import { defaultGlobals } from '../state/globals.js'
import type { ToolFunction } from '../state/tool-def.js'

/** A tool that a program registers, with the function that runs it. */
export interface RegisterToolOptions<Params extends JsonObject | undefined = JsonObject | undefined> {
  /** Its exact name. It may break the name rule: `my_tool`. */
  name: string
  /** Runs it. `args` are the caller's, validated by `params`, or a middleware's configuration. */
  fn: (ctx: Context<RegisteredArguments<Params>>, args: RegisteredArguments<Params>) => unknown
  /** Its use in one sentence, from which a model knows when to call it. */
  description?: string
  /** JSON Schema of the arguments. Absent: none are allowed. */
  params?: Params
  /** JSON Schema of the result. */
  returns?: JsonObject
  /** Tags that patterns select it by. */
  tags?: string[]
  /** `hidden`: not listed and not available to agents; code may still call it. */
  visibility?: 'hidden'
  /** Its middleware and annotations, as in a skill's frontmatter. */
  metadata?: JsonObject
  /** Default: none. */
  role?: Role
  /** Patterns of the tools it may call. */
  allowedTools?: string | string[]
  /** True if an agent's call needs approval. Absent: it does if it is granted more than `read`. */
  gated?: boolean
  /** The permissions that a host must grant before an agent may call it. */
  permissions?: ToolPermissions
  /** Rules over calls: of a main skill, or for the tools that this one's agent calls. */
  trust?: { rules: string | string[] }
  /** A URI that also finds it: `mcp://…`, `inline://…`. */
  src?: string
  module?: unknown
  /** The text that `content()` gives. */
  content?: string
}

/** Unknown without a schema: none, an empty object, or a middleware's configuration. */
type RegisteredArguments<Params> = Params extends JsonObject ? Record<string, unknown> : unknown

/**
 * Registers a tool; with only a definition, on the process's default globals. It shadows tools from disk, and replaces
 * a registered tool of its name.
 *
 * @throws NAME_INVALID for a name that is empty or longer than 64 characters; DEFINITION_INVALID if `fn`
 *   is not a function, the role is unknown, or a schema is not JSON Schema
 */
export function registerTool<Params extends JsonObject | undefined = undefined>(
  globals: Globals,
  options: RegisterToolOptions<Params>,
): void
export function registerTool(globals: Globals, definition: DefinedTool): Promise<void>
export function registerTool(definition: DefinedTool): Promise<void>
export function registerTool(
  globals: Globals | DefinedTool,
  options?: Registered | DefinedTool,
): void | Promise<void> {
  if (isDefinedTool(globals)) return registerDefined(defaultGlobals(), globals)
  if (isDefinedTool(options)) return registerDefined(globals, options)
  addTool(globals, options ?? {}, frontmatterOf({ ...options }))
}

async function registerDefined(globals: Globals, tool: DefinedTool): Promise<void> {
  addTool(globals, tool, await tool.frontmatter())
}

/** A tool to register, without its frontmatter. Untyped programs may pass anything. */
interface Registered extends Pick<RegisterToolOptions, 'module' | 'content'> {
  name?: string
  fn?: unknown
  src?: string | null
}

/** Registers a tool whose frontmatter is known. */
export function addTool(
  globals: Globals,
  { name, fn, src = null, module, content }: Registered,
  verbatim: JsonObject,
): void {
  if (globals.closed) throw runtimeClosed()
  if (typeof name !== 'string' || name === '' || name.length > 64)
    throw nameInvalid(name, 'name for a tool', 'Use 1 to 64 characters.')
  const fault = (what: string, hint: string): AgentAppsError =>
    new AgentAppsError('DEFINITION_INVALID', `The tool "${name}" has ${what}.`, { hint, tool: name })
  if (typeof fn !== 'function') throw fault('no function `fn`', 'Give `fn: (ctx, args) => …`.')
  const { role = 'main', params = {}, returns = {}, ...rest } = (verbatim.metadata ?? {}) as JsonObject
  if (!ROLES.includes(role as Role))
    throw fault(`the unknown role "${role}"`, `Use one of ${ROLES.join(', ')}.`)
  if (![params, returns].every(isPlain))
    throw fault('an invalid JSON Schema', 'Register what `defineTool` makes of it.')
  // A schema is checked when first needed.
  const { what, path } = notJsonIn({ ...verbatim, metadata: rest }) ?? {}
  if (what)
    throw fault(`${what} at "${path}", which JSON does not have`, 'Write it as a string, or leave it out.')
  globals.tools.programmaticTools.set(name, {
    name,
    fn: fn as ToolFunction,
    frontmatter: extractFrontmatter(verbatim, { kind: 'code', name }),
    src,
    ...definedFields({ module, content }),
  })
  globals.stats.via.programmatic++
  forgetTool(globals, name, src)
}

/** False for the objects of schema libraries. The JSON Schema that a library makes may hide a `~standard`. */
function isPlain(schema: unknown): boolean {
  return isJsonObject(schema) && !('~standard' in (schema.constructor === Object ? { ...schema } : schema))
}

/** Forgets cached answers about a tool. Indexes stay open, since registrations do not affect them. */
function forgetTool(globals: Globals, name: string, src: string | null | undefined): void {
  forgetReference(name, globals)
  if (src) forgetReference(src, globals)
  globals.lifecycle?.forget(name)
}

/** Removes a registered tool, and the caches of its name. */
export function unregisterTool(globals: Globals, name: string): void {
  const { programmaticTools } = globals.tools
  const src = programmaticTools.get(name)?.src
  programmaticTools.delete(name)
  forgetTool(globals, name, src)
}

/**
 * Registers a function under a unique name, `{label}-{8 hexadecimal digits}`, and returns the name, for a model. Without
 * `params`, any arguments are allowed. `allowed-tools` applies as to any tool (`callback-*`).
 */
export function createCallbackRef(
  globals: Globals,
  label: string,
  fn: RegisterToolOptions['fn'],
  options: { params?: JsonObject } = {},
): string {
  checkOptions('createCallbackRef', options, { params: 'object' })
  if (!isToolName(label) || label.length > 55) {
    throw nameInvalid(label, 'label for a callback', 'Use 1 to 55 of a-z, 0-9 and "-".')
  }
  const name = `${label}-${crypto.randomUUID().slice(0, 8)}`
  addTool(globals, { name, fn }, { metadata: { params: options.params ?? {}, tags: [RUN_TAG] } })
  return name
}

function nameInvalid(name: unknown, what: string, hint: string): AgentAppsError {
  const shown = JSON.stringify(String(name).slice(0, 80))
  return new AgentAppsError('NAME_INVALID', `${shown} is not a ${what}.`, { hint })
}
