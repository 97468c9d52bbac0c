import { definedFields } from '../base/defined-fields.js'
import { AgentAppsError } from '../base/error.js'
import { isJsonObject, type JsonObject } from '../base/json.js'
import type { ToolPermissions } from '../base/permissions.js'
import { HOOK_FIELDS, HOOKS_KEY, hooksIn, keepHooks, type ToolHooks } from '../hooks/tool-hooks.js'
import {
  type DescribedSchema,
  type InferInput,
  type InferOutput,
  isStandardSchema,
} from '../schema/standard-schema.js'
import type { Role } from './frontmatter.js'
import { type CallContext, type ToolContext, toolContextOf } from './tool-context.js'

/**
 * A schema of arguments or results: of a Standard Schema library that provides JSON Schema, or JSON Schema
 * itself.
 */
export type ToolSchema = DescribedSchema | JsonObject

/** A tool as its author writes it. */
export interface ToolDefinition<
  Params extends ToolSchema | undefined = undefined,
  Returns extends ToolSchema | undefined = undefined,
  Result = ExecuteResult<Returns>,
> extends ToolHooks {
  /**
   * The name that it resolves by. In a file it must be a literal, so that it can be read without running the
   * file.
   */
  name: string
  description?: string
  /** Its arguments. Absent: none. */
  params?: Params
  /** Another name of `params`. */
  inputSchema?: Params
  /** Another name of `params`. */
  parameters?: Params
  /** Its result. */
  returns?: Returns
  /** Another name of `returns`. */
  outputSchema?: Returns
  /** Runs the tool. `args` is what `params` makes of the caller's, with transforms and defaults. */
  execute: (args: ExecuteArguments<Params>, context: ToolContext) => Result | Promise<Result>
  tags?: string[]
  role?: Role
  visibility?: 'hidden'
  /** Patterns of the tools it may call. */
  allowedTools?: string | string[]
  /** Milliseconds after which a call fails: `timeout` of `metadata`, for the middleware of that name. */
  timeoutMs?: number
  /** Whether an agent's call needs approval. Absent: where it is granted more than `read`. */
  gated?: boolean
  /** What it may do: a host must have granted it before an agent may call it. */
  permissions?: ToolPermissions
  /** Rules over calls, of a main skill or for the tools that this one's agent calls. */
  trust?: { rules: string | string[] }
  /** The rest of `metadata`, as in a Markdown skill's frontmatter. */
  metadata?: JsonObject
}

type ExecuteArguments<Params> = Params extends undefined ? Record<never, never> : InferOutput<Params>
type ExecuteResult<Returns> = Returns extends undefined ? unknown : InferInput<Returns>

const BRAND = Symbol.for('agent-apps.defined-tool')
const DEFINITION = Symbol.for('agent-apps.definition')

/** The result of `defineTool`: an object that every copy of the package recognizes as a tool. */
export interface DefinedTool<Result = unknown> {
  readonly name: string
  /** The tool as a function `(context, args)`, the form in which all tools are called. */
  readonly fn: (context: unknown, args?: unknown) => Promise<Result>
  /** Its frontmatter, with its schemas as JSON Schema. */
  readonly frontmatter: () => Promise<JsonObject>
}

/**
 * Creates a tool from a definition, for a `.skill.ts` to export or a program to register. With a name and a
 * function, the definition is created at first use, for asynchronous set-up.
 *
 * @throws DEFINITION_INVALID if it has no name, no `execute` or an unknown field; SCHEMA_UNSUPPORTED, when
 *   its frontmatter is requested, if a schema provides no JSON Schema
 */
export function defineTool<
  const Params extends ToolSchema | undefined = undefined,
  const Returns extends ToolSchema | undefined = undefined,
  Result extends ExecuteResult<Returns> = ExecuteResult<Returns>,
>(definition: ToolDefinition<Params, Returns, Result>): DefinedTool<Result>
export function defineTool<
  const Params extends ToolSchema | undefined = undefined,
  const Returns extends ToolSchema | undefined = undefined,
  Result extends ExecuteResult<Returns> = ExecuteResult<Returns>,
>(
  name: string,
  make: () => Promise<Omit<ToolDefinition<Params, Returns, Result>, 'name'>>,
): DefinedTool<Result>
export function defineTool(
  definition: string | AnyDefinition,
  make?: () => Promise<Omit<AnyDefinition, 'name'>>,
): DefinedTool {
  const given = typeof definition === 'string' ? null : checkDefinition(definition)
  const name = typeof definition === 'string' ? definition : definition.name
  let made: Promise<AnyDefinition> | undefined
  const ready = (): Promise<AnyDefinition> => {
    made ??= given
      ? Promise.resolve(given)
      : Promise.resolve(make?.()).then(rest => checkDefinition({ ...required(rest, name), name }))
    return made
  }
  const fn = async (context: unknown, args?: unknown): Promise<unknown> => {
    const ctx = context as CallContext | undefined
    const made = await ready()
    const run = (instance?: unknown): Promise<unknown> =>
      execute(made, args, context, () => ctx?.mustGoOn?.(), instance)
    // Without a runtime nobody keeps what `init` makes.
    return ctx?.withHooks && hooksIn(made) ? ctx.withHooks(fn, run) : run()
  }
  keepHooks(fn, async () => hooksIn(await ready()))
  const tool: DefinedTool = { name, fn, frontmatter: async () => frontmatterLater(await ready()) }
  return Object.defineProperties(tool, { [BRAND]: { value: true }, [DEFINITION]: { value: given } })
}

/** The frontmatter of a defined tool, if no function has to make its definition first; else null. */
export function frontmatterNow(tool: DefinedTool, jsonSchemaOf: JsonSchemaOf): JsonObject | null {
  const given = (tool as { [DEFINITION]?: AnyDefinition | null })[DEFINITION]
  return given ? definitionFrontmatter(given, jsonSchemaOf) : null
}

type JsonSchemaOf = (schema: ToolSchema, part: 'params' | 'returns', tool: string) => JsonObject

/** Returns the definition if it is valid; a program without types may pass anything. */
function checkDefinition(definition: AnyDefinition): AnyDefinition {
  const { name, execute } = definition ?? {}
  const isNamed = typeof name === 'string' && name !== ''
  if (isNamed && typeof execute === 'function') return withKnownFields(definition)
  throw new AgentAppsError(
    'DEFINITION_INVALID',
    isNamed ? `The tool "${name}" has no function \`execute\`.` : 'A tool is defined without a name.',
    { hint: 'Give `defineTool` an object with `name` and `execute`.', ...(isNamed && { tool: name }) },
  )
}

function withKnownFields(definition: AnyDefinition): AnyDefinition {
  const { name: tool } = definition
  const fields = Object.keys(definition)
  const invalid = (problem: string, hint: string): AgentAppsError =>
    new AgentAppsError('DEFINITION_INVALID', `The tool "${tool}" has ${problem}.`, { hint, tool })
  const unknown = fields.find(field => !isDefinitionField(field))
  if (unknown !== undefined) {
    // As good as `nearest`, mostly, which the slim runtime would carry then.
    const near = DEFINITION_FIELDS.find(known => known.startsWith(unknown.slice(0, 3)))
    throw invalid(
      `the field "${unknown}", which \`defineTool\` does not know`,
      `${near ? `Did you mean "${near}"? ` : ''}It knows ${DEFINITION_FIELDS.join(', ')}. Data of your own belongs under \`metadata\`.`,
    )
  }
  const twice = fieldGivenTwice(fields)
  if (twice)
    throw invalid(`"${twice.first}" and "${twice.field}", two names of one field`, 'Keep one of them.')
  const noHook = HOOK_FIELDS.find(field => !['function', 'undefined'].includes(typeof definition[field]))
  if (noHook) throw invalid(`the hook "${noHook}", which is no function`, `Write \`${noHook}: ctx => …\`.`)
  return fieldsByOwnNames(definition)
}

/** Other libraries' names of fields, each with ours. */
const OWN_NAMES = new Map([
  ['inputSchema', 'params'],
  ['parameters', 'params'],
  ['outputSchema', 'returns'],
])

/** Our name of a field of a definition. */
export function ownFieldName(field: string): string {
  return OWN_NAMES.get(field) ?? field
}

/** A definition with each field under our name. */
export function fieldsByOwnNames<Fields extends object>(definition: Fields): Fields {
  return Object.fromEntries(
    Object.entries(definition).map(([field, value]) => [ownFieldName(field), value]),
  ) as Fields
}

/** The first field that is given under a second name too; null where there is none. */
export function fieldGivenTwice(fields: readonly string[]): { first: string; field: string } | null {
  const given = new Map<string, string>()
  for (const field of fields) {
    const first = given.get(ownFieldName(field))
    if (first !== undefined && first !== field) return { first, field }
    given.set(ownFieldName(field), field)
  }
  return null
}

/** True for the result of any copy of the package's `defineTool`. */
export function isDefinedTool(value: unknown): value is DefinedTool {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true
}

/**
 * Returns a definition's fields as the frontmatter of a Markdown skill has them; absent fields stay absent.
 */
export function frontmatterOf({
  name,
  description,
  allowedTools,
  metadata,
  role,
  visibility,
  tags,
  params,
  returns,
  gated,
  permissions,
  trust,
  timeoutMs: timeout,
  ...rest
}: Record<string, unknown>): JsonObject {
  const [hooks] = HOOK_FIELDS.filter(field => rest[field] !== undefined)
  const own = definedFields({ role, visibility, tags, params, returns, gated, permissions, trust, timeout })
  const all = { ...(isJsonObject(metadata) ? metadata : {}), ...own, ...(hooks && { [HOOKS_KEY]: true }) }
  return definedFields({
    name,
    description,
    'allowed-tools': allowedTools,
    metadata: Object.keys(all).length > 0 ? all : undefined,
  }) as JsonObject
}

type AnyDefinition = Omit<ToolDefinition, 'params' | 'returns' | 'execute'> & {
  params?: ToolSchema | undefined
  returns?: ToolSchema | undefined
  execute: (args: never, context: ToolContext) => unknown
}

/** Only the schemas of a library need what makes JSON Schema of them. */
async function frontmatterLater(definition: AnyDefinition): Promise<JsonObject> {
  if (!definition.params && !definition.returns) return frontmatterOf({ ...definition })
  return definitionFrontmatter(definition, (await import('../schema/library-schema.js')).jsonSchemaOf)
}

function definitionFrontmatter(definition: AnyDefinition, jsonSchemaOf: JsonSchemaOf): JsonObject {
  const { params, returns, name } = definition
  return frontmatterOf({
    ...definition,
    params: params && jsonSchemaOf(params, 'params', name),
    returns: returns && jsonSchemaOf(returns, 'returns', name),
  })
}

/**
 * Runs a definition with the output of its own schema for the arguments.
 *
 * @param mustGoOn throws if the call has ended meanwhile
 */
async function execute(
  { name, params, execute: run }: AnyDefinition,
  args: unknown,
  context: unknown,
  mustGoOn: () => void,
  instance: unknown,
): Promise<unknown> {
  const checked = isStandardSchema(params)
    ? await params['~standard'].validate(args ?? {})
    : { value: args ?? {} }
  if (checked.issues) {
    const { standardIssues } = await import('../schema/library-schema.js')
    const issues = standardIssues(checked.issues, args)
    const said = issues.map(({ message }) => message).join('; ')
    throw new AgentAppsError('ARGS_INVALID', `The arguments of "${name}" are invalid: ${said}`, {
      hint: `\`agent-apps describe ${name}\` shows its \`params\`.`,
      tool: name,
      issues,
    })
  }
  mustGoOn()
  return run(checked.value as never, toolContextOf(context, instance))
}

function required<Definition>(definition: Definition | undefined, name: string): Definition {
  if (definition !== undefined) return definition
  throw new AgentAppsError('CONTEXT_MISSING', `The definition of "${name}" is missing.`, {
    hint: 'Return it from the function given to `defineTool`.',
    tool: name,
  })
}

const FIELDS: Record<keyof ToolDefinition, true> = {
  name: true,
  description: true,
  params: true,
  inputSchema: true,
  parameters: true,
  returns: true,
  outputSchema: true,
  execute: true,
  tags: true,
  role: true,
  visibility: true,
  allowedTools: true,
  timeoutMs: true,
  gated: true,
  permissions: true,
  trust: true,
  metadata: true,
  init: true,
  activate: true,
  deactivate: true,
  dispose: true,
}

/** The fields of the argument of `defineTool`. */
export const DEFINITION_FIELDS: readonly string[] = /* @__PURE__ */ Object.keys(FIELDS)

/** The fields that a definition may have although they have no effect yet. */
export const RESERVED_FIELDS = ['descriptionPath', 'timeout']

/** True for a field that `defineTool` accepts. */
export function isDefinitionField(field: string): boolean {
  return [DEFINITION_FIELDS, RESERVED_FIELDS].some(fields => fields.includes(field))
}
