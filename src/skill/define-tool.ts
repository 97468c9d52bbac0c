import { definedFields } from '../base/defined-fields.js'
import { AgentAppsError } from '../base/error.js'
import { isJsonObject, type JsonObject } from '../base/json.js'
import {
  type InferInput,
  type InferOutput,
  isStandardSchema,
  type StandardSchema,
} from '../schema/standard-schema.js'
import type { Role } from './frontmatter.js'
import { GUARDS_TO_COME } from './metadata-keys.js'

/**
 * A schema of arguments or results: of a Standard Schema library that provides JSON Schema, or JSON Schema
 * itself.
 */
export type ToolSchema = StandardSchema | JsonObject

/**
 * What `execute` gets besides its arguments. If the tool is called without a runtime, everything except the
 * functions is undefined.
 */
export interface ToolContext {
  /** Aborts when the call is no longer wanted. */
  readonly signal: AbortSignal | undefined
  /** Reports progress to the host. */
  readonly update: (progress: { title?: string; metadata?: Record<string, unknown> }) => void
  /** Calls another tool. */
  readonly invoke: (ref: string, args?: unknown) => Promise<unknown>
  /** The host's name for this call, or a generated one. */
  readonly callId: string | undefined
  /** What the host passed with the call, if anything. */
  readonly sessionId: string | undefined
  readonly messageId: string | undefined
  readonly agentId: string | undefined
  readonly userId: string | undefined
  readonly workspaceId: string | undefined
}

/** A tool as its author writes it. */
export interface ToolDefinition<
  Params extends ToolSchema | undefined = undefined,
  Returns extends ToolSchema | undefined = undefined,
> {
  /**
   * The name that it resolves by. In a file it must be a literal, so that it can be read without running the
   * file.
   */
  name: string
  description?: string
  /** Its arguments. Absent: none. */
  params?: Params
  /** Its result. */
  returns?: Returns
  /**
   * Runs the tool. `args` is the output of `params` for what the caller passed, with transforms and defaults.
   */
  execute: (
    args: ExecuteArguments<Params>,
    context: ToolContext,
  ) => ExecuteResult<Returns> | Promise<ExecuteResult<Returns>>
  tags?: string[]
  role?: Role
  visibility?: 'hidden'
  /** Patterns of the tools it may call. */
  allowedTools?: string | string[]
  /** The rest of `metadata`, as in a Markdown skill's frontmatter. */
  metadata?: JsonObject
}

type ExecuteArguments<Params> = Params extends undefined ? Record<never, never> : InferOutput<Params>
type ExecuteResult<Returns> = Returns extends undefined ? unknown : InferInput<Returns>

const BRAND = Symbol.for('agent-apps.defined-tool')

/** The result of `defineTool`: an object that every copy of the package recognizes as a tool. */
export interface DefinedTool {
  readonly name: string
  /** The tool as a function `(context, args)`, the form in which all tools are called. */
  readonly fn: (context: unknown, args?: unknown) => Promise<unknown>
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
>(definition: ToolDefinition<Params, Returns>): DefinedTool
export function defineTool<
  const Params extends ToolSchema | undefined = undefined,
  const Returns extends ToolSchema | undefined = undefined,
>(name: string, make: () => Promise<Omit<ToolDefinition<Params, Returns>, 'name'>>): DefinedTool
export function defineTool(
  definition: string | AnyDefinition,
  make?: () => Promise<Omit<AnyDefinition, 'name'>>,
): DefinedTool {
  if (typeof definition !== 'string') checkDefinition(definition)
  const name = typeof definition === 'string' ? definition : definition.name
  let made: Promise<AnyDefinition> | undefined
  const ready = (): Promise<AnyDefinition> => {
    made ??=
      typeof definition === 'string'
        ? Promise.resolve(make?.()).then(rest => checkDefinition({ ...required(rest, name), name }))
        : Promise.resolve(definition)
    return made
  }
  const tool: DefinedTool = {
    name,
    fn: async (context, args) => {
      const mustGoOn = (context as CallContext | undefined)?.mustGoOn
      return execute(await ready(), args, context, () => mustGoOn?.call(context))
    },
    frontmatter: async () => definitionFrontmatter(await ready()),
  }
  return Object.defineProperty(tool, BRAND, { value: true })
}

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
  const unknown = Object.keys(definition).find(field => !isDefinitionField(field))
  if (unknown === undefined) return definition
  throw new AgentAppsError(
    'DEFINITION_INVALID',
    `The tool "${tool}" has the field "${unknown}", which \`defineTool\` does not know.`,
    { hint: `It knows ${DEFINITION_FIELDS.join(', ')}. Data of your own belongs under \`metadata\`.`, tool },
  )
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
}: Record<string, unknown>): JsonObject {
  const own = definedFields({ role, visibility, tags, params, returns, gated, permissions, trust })
  const all = { ...(isJsonObject(metadata) ? metadata : {}), ...own }
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

function definitionFrontmatter(definition: AnyDefinition): JsonObject {
  const { params, returns, ...rest } = definition
  return frontmatterOf({
    ...rest,
    params: params && jsonSchema(params, 'input', definition.name),
    returns: returns && jsonSchema(returns, 'output', definition.name),
  })
}

function jsonSchema(schema: ToolSchema, side: 'input' | 'output', tool: string): JsonObject {
  if (!isStandardSchema(schema)) return schema
  const { jsonSchema: describe, vendor } = schema['~standard']
  if (!describe) {
    throw new AgentAppsError(
      'SCHEMA_UNSUPPORTED',
      `A schema of "${tool}" (${vendor}) gives no JSON Schema.`,
      {
        hint: 'Use a version of the library that implements Standard JSON Schema, or write the JSON Schema yourself.',
        tool,
      },
    )
  }
  return describe[side]({ target: 'draft-2020-12' }) as JsonObject
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
): Promise<unknown> {
  const checked = isStandardSchema(params)
    ? await params['~standard'].validate(args ?? {})
    : { value: args ?? {} }
  if (checked.issues) {
    const { standardIssues } = await import('../schema/standard-issues.js')
    const issues = standardIssues(checked.issues, args)
    const said = issues.map(({ message }) => message).join('; ')
    throw new AgentAppsError('ARGS_INVALID', `The arguments of "${name}" are invalid: ${said}`, {
      hint: 'See its `params` for what it takes.',
      tool: name,
      issues,
    })
  }
  mustGoOn()
  return run(checked.value as never, contextOf(context))
}

/** The part of a runtime's context that is passed on. */
interface CallContext {
  /** Throws if the call is over, so that nothing more of it starts. */
  mustGoOn?: () => void
  run?: Pick<ToolContext, 'signal' | 'update'> & { id: string }
  envelope?: Partial<
    Record<'callId' | 'sessionId' | 'messageId' | 'agentId' | 'userId' | 'workspaceId', string>
  >
  manager?: Pick<ToolContext, 'invoke'>
}

/**
 * Each field is read from the runtime's context when it is accessed: most tools access one of them, or none.
 */
function contextOf(context: unknown): ToolContext {
  const ctx = (context ?? {}) as CallContext
  return {
    get signal() {
      return ctx.run?.signal
    },
    get update() {
      return ctx.run?.update ?? (() => {})
    },
    get invoke() {
      return ctx.manager?.invoke ?? unavailable
    },
    get callId() {
      return ctx.envelope?.callId ?? ctx.run?.id
    },
    get sessionId() {
      return ctx.envelope?.sessionId
    },
    get messageId() {
      return ctx.envelope?.messageId
    },
    get agentId() {
      return ctx.envelope?.agentId
    },
    get userId() {
      return ctx.envelope?.userId
    },
    get workspaceId() {
      return ctx.envelope?.workspaceId
    },
  }
}

function unavailable(): never {
  throw new AgentAppsError(
    'CONTEXT_MISSING',
    'This tool was called without a runtime, so it can call no other.',
    {
      hint: 'Call it through `invoke`.',
    },
  )
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
  returns: true,
  execute: true,
  tags: true,
  role: true,
  visibility: true,
  allowedTools: true,
  metadata: true,
}

/** The fields of the argument of `defineTool`. */
export const DEFINITION_FIELDS: readonly string[] = Object.keys(FIELDS)

/** The fields that a definition may have although they have no effect yet. */
export const FIELDS_TO_COME = ['descriptionPath', 'init', 'timeout']

const ALL_FIELDS = [...DEFINITION_FIELDS, ...FIELDS_TO_COME, ...GUARDS_TO_COME]

/** True for a field that `defineTool` accepts. */
export function isDefinitionField(field: string): boolean {
  return ALL_FIELDS.includes(field)
}
