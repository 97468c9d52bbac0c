import { AgentAppsError } from '../base/error.js'
import type { JsonObject, JsonValue } from '../base/json.js'
import type { ToolPermissions } from '../base/permissions.js'
import { HOOK_FIELDS, hooksIn, keepHooks, type ToolHooks } from '../hooks/tool-hooks.js'
import { declarationFaults } from '../own/declared.js'
import {
  DEFINED_TOOL,
  type DefinedTool,
  FIELD_OF,
  fieldGivenTwice,
  fieldsByOwnNames,
  frontmatterOf,
} from '../own/defined-tool.js'
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
  Config extends ToolSchema | undefined = ToolSchema | undefined,
  State extends ToolSchema = ToolSchema,
> extends ToolHooks<OwnValue<Config>> {
  /**
   * The name that it resolves by. In a file it must be a literal, so that it can be read without running the
   * file.
   */
  name: string
  /** Its use in one sentence, from which a model knows when to call it. */
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
  /** Runs the tool. `args` is the output of `params` for the caller's arguments, with transforms and defaults. */
  execute: (
    args: ExecuteArguments<Params>,
    context: ToolContext<OwnValue<Config>, OwnValue<State, unknown>>,
  ) => Result | Promise<Result>
  /** Tags that patterns select it by. */
  tags?: string[]
  /** Default: none. */
  role?: Role
  /** `hidden`: not listed and not available to agents; code may still call it. */
  visibility?: 'hidden'
  /** Patterns of the tools it may call. */
  allowedTools?: string | string[]
  /** Milliseconds after which a call fails: `timeout` of `metadata`, for the middleware of that name. */
  timeoutMs?: number
  /** True if an agent's call needs approval. Absent: it does if it is granted more than `read`. */
  gated?: boolean
  /** Its permissions: a host must have granted them before an agent may call it. */
  permissions?: ToolPermissions
  /** Rules over calls, of a main skill or for the tools that this one's agent calls. */
  trust?: { rules: string | string[] }
  /**
   * The key of a call, which approvals are stored for and rules such as `bash(git:*)` compare. Must return a
   * string synchronously, the same for the same arguments.
   */
  deriveApprovalKey?: (args: GivenArguments<Params>) => string
  /** The preview that a person is shown before the call is approved, such as the difference that it would make. */
  preview?: (args: GivenArguments<Params>, context: PreviewContext) => string | Promise<string>
  /** The schema of the tool's configuration: `config.tools` of a runtime, by the tool's name. */
  config?: Config
  /** The variables of the environment that it may read. */
  env?: readonly string[]
  /** Its state in each session: the schema, and the initial value. */
  state?: 'none' | { schema: State; initial: NoInfer<InitialState<State>> }
  /** A text file with its description, relative to the file; for a registered tool, to the runtime's `cwd`. */
  descriptionPath?: string
  /** A range of versions of agent-apps: `>=0.1.0`. */
  requires?: string
  /** Patterns of tools without which it is not offered to a model. */
  requiresTools?: string | string[]
  /** The version of its contract. */
  contractVersion?: string
  /** `local`: it runs in this process. */
  executor?: 'local'
  /** The rest of `metadata`, as in a Markdown skill's frontmatter. */
  metadata?: JsonObject
}

/** The parts of the waiting call that a preview gets. */
export type PreviewContext = Pick<
  ToolContext,
  'signal' | 'callId' | 'sessionId' | 'messageId' | 'agentId' | 'userId' | 'workspaceId'
>

/** Before the transforms of a schema library, which are the tool's own. */
type GivenArguments<Params> = Params extends DescribedSchema ? InferInput<Params> : ExecuteArguments<Params>
/** With defaults, as the runtime checks it; of a JSON Schema nothing more is known than `Unknown`. */
type OwnValue<Schema, Unknown = JsonObject> = [Schema] extends [DescribedSchema]
  ? InferOutput<Schema>
  : Unknown
type InitialState<Schema> = [Schema] extends [DescribedSchema] ? InferInput<Schema> : JsonValue
type ExecuteArguments<Params> = Params extends undefined ? Record<never, never> : InferOutput<Params>
export type ExecuteResult<Returns> = Returns extends undefined ? unknown : InferInput<Returns>

const DEFINITION = Symbol.for('agent-apps.definition')

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
  Config extends ToolSchema | undefined = ToolSchema | undefined,
  State extends ToolSchema = ToolSchema,
>(definition: ToolDefinition<Params, Returns, Result, Config, State>): DefinedTool<Result>
export function defineTool<
  const Params extends ToolSchema | undefined = undefined,
  const Returns extends ToolSchema | undefined = undefined,
  Result extends ExecuteResult<Returns> = ExecuteResult<Returns>,
  Config extends ToolSchema | undefined = ToolSchema | undefined,
  State extends ToolSchema = ToolSchema,
>(
  name: string,
  make: () => Promise<Omit<ToolDefinition<Params, Returns, Result, Config, State>, 'name'>>,
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
      execute(made, args, context, () => ctx?.throwIfAborted?.(), instance)
    // Without a runtime, nothing keeps the result of `init`.
    return ctx?.withHooks && hooksIn(made) ? ctx.withHooks(fn, run) : run()
  }
  keepHooks(fn, async () => hooksIn(await ready()))
  Object.defineProperty(fn, DEFINITION, { value: ready })
  const tool: DefinedTool = { name, fn, frontmatter: async () => frontmatterLater(await ready()) }
  return Object.defineProperties(tool, { [DEFINED_TOOL]: { value: true }, [DEFINITION]: { value: given } })
}

/** The definition of the tool that a function runs; undefined for a function that is none of `defineTool`. */
export function definitionOf(fn: unknown): Promise<AnyDefinition> | undefined {
  return (fn as { [DEFINITION]?: () => Promise<AnyDefinition> })[DEFINITION]?.()
}

/** The frontmatter of a defined tool, if no function has to make its definition first; else null. */
export function frontmatterNow(tool: DefinedTool, jsonSchemaOf: JsonSchemaOf): JsonObject | null {
  const given = (tool as { [DEFINITION]?: AnyDefinition | null })[DEFINITION]
  return given ? definitionFrontmatter(given, jsonSchemaOf) : null
}

type JsonSchemaOf = (
  schema: ToolSchema,
  part: 'params' | 'returns' | 'config' | 'state',
  tool: string,
) => JsonObject

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
  const unknown = fields.find(field => !DEFINITION_FIELDS.includes(field))
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
  if (noHook) throw invalid(`the hook "${noHook}", which is not a function`, `Write \`${noHook}: ctx => …\`.`)
  const own = fieldsByOwnNames(definition)
  const { metadata = {} } = frontmatterOf({ ...own })
  const [fault] = declarationFaults(metadata as JsonObject)
  if (fault) {
    const field = FIELD_OF.get(fault.key) ?? fault.key
    throw invalid(`a wrong value for "${field}"`, `It must be ${fault.expected}.`)
  }
  return own
}

/** A definition with any arguments and result. */
export type AnyDefinition = Omit<
  ToolDefinition,
  'params' | 'returns' | 'execute' | 'deriveApprovalKey' | 'preview' | 'state'
> & {
  /** Returns the key of a call, as in `ToolDefinition`. */
  deriveApprovalKey?: (args: never) => string
  /** Returns the preview of a call, as in `ToolDefinition`. */
  preview?: (args: never, context: PreviewContext) => string | Promise<string>
  params?: ToolSchema | undefined
  returns?: ToolSchema | undefined
  /** Runs the tool. */
  execute: (args: never, context: never) => unknown
  state?: 'none' | { schema: ToolSchema; initial: unknown }
}

/** Only schemas of a library need a conversion to JSON Schema. */
async function frontmatterLater(definition: AnyDefinition): Promise<JsonObject> {
  const { params, returns, config, state } = definition
  if (!params && !returns && !config && typeof state !== 'object') return frontmatterOf({ ...definition })
  return definitionFrontmatter(definition, (await import('../schema/library-schema.js')).jsonSchemaOf)
}

function definitionFrontmatter(definition: AnyDefinition, jsonSchemaOf: JsonSchemaOf): JsonObject {
  const { params, returns, config, state, name } = definition
  return frontmatterOf({
    ...definition,
    params: params && jsonSchemaOf(params, 'params', name),
    returns: returns && jsonSchemaOf(returns, 'returns', name),
    config: config && jsonSchemaOf(config, 'config', name),
    state:
      typeof state === 'object' ? { ...state, schema: jsonSchemaOf(state.schema, 'state', name) } : state,
  })
}

/**
 * Runs a definition with the output of its own schema for the arguments.
 *
 * @param throwIfAborted throws if the call has ended meanwhile
 */
async function execute(
  { name, params, execute: run }: AnyDefinition,
  args: unknown,
  context: unknown,
  throwIfAborted: () => void,
  instance: unknown,
): Promise<unknown> {
  const checked = isStandardSchema(params)
    ? await params['~standard'].validate(args ?? {})
    : { value: args ?? {} }
  if (checked.issues) {
    const { standardIssues } = await import('../schema/library-schema.js')
    const issues = standardIssues(checked.issues, args)
    const messages = issues.map(({ message }) => message).join('; ')
    throw new AgentAppsError('ARGS_INVALID', `The arguments of "${name}" are invalid: ${messages}`, {
      hint: `\`agent-apps describe ${name}\` shows its \`params\`.`,
      modelHint: 'Call it again with arguments that its schema allows.',
      tool: name,
      issues,
    })
  }
  throwIfAborted()
  return run(checked.value as never, toolContextOf(context, instance) as never)
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
  deriveApprovalKey: true,
  preview: true,
  config: true,
  env: true,
  state: true,
  descriptionPath: true,
  requires: true,
  requiresTools: true,
  contractVersion: true,
  executor: true,
  metadata: true,
  init: true,
  activate: true,
  deactivate: true,
  dispose: true,
}

/** The fields of the argument of `defineTool`. */
export const DEFINITION_FIELDS: readonly string[] = /* @__PURE__ */ Object.keys(FIELDS)

/** The fields of a definition that are functions; `frontmatterOf` marks those that a runtime may need to know of. */
export const FUNCTION_FIELDS: readonly string[] = ['execute', 'deriveApprovalKey', 'preview', ...HOOK_FIELDS]
