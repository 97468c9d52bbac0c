import { AgentAppsError } from '../../src/base/error.js'
import { type DescribedSchema, type InferOutput, isStandardSchema } from '../../src/schema/standard-schema.js'

/** The types of tools with an id. */
export namespace Tool {
  /** Data of a tool for the host. */
  export interface Metadata {
    [key: string]: unknown
  }

  /** The context of `execute`, besides its arguments. */
  export interface Context<Data extends Metadata = Metadata> {
    /** The session of the call. */
    sessionID: string
    /** The message that the call belongs to. */
    messageID: string
    /** The agent's name. */
    agent: string
    /** Aborts when the result is no longer needed. */
    abort: AbortSignal
    /** The id of the call in its message. */
    callID?: string | undefined
    /** Reports progress. */
    metadata(progress: { title?: string; metadata?: Partial<Data> }): void
  }

  /** An attachment of a result, such as an image. */
  export interface Attachment {
    [key: string]: unknown
  }

  /** A tool's result. */
  export interface Result<Data extends Metadata = Metadata> {
    /** One line for people. */
    title: string
    /** For the host. */
    metadata: Data
    /** The text shown to the model. */
    output: string
    /** Files for the model besides the text. */
    attachments?: Attachment[]
  }

  /** A tool, once it is initialised. */
  export interface Definition<
    Parameters extends DescribedSchema = DescribedSchema,
    Data extends Metadata = Metadata,
  > {
    /** The text from which a model knows when to call it. */
    description: string
    /** The schema of its arguments, from a library such as Zod. */
    parameters: Parameters
    /** Runs the tool. */
    execute(args: InferOutput<Parameters>, ctx: Context<Data>): Result<Data> | Promise<Result<Data>>
  }

  /** The host's data for `init`. */
  export interface InitContext {
    /** The folder that the tool works in, absolute. */
    workingDir?: string
    [key: string]: unknown
  }

  /** A defined tool. */
  export interface Info<
    Parameters extends DescribedSchema = DescribedSchema,
    Data extends Metadata = Metadata,
  > {
    /** The name by which it is registered and called. */
    readonly id: string
    /** Its definition, unless a function makes it. */
    readonly definition?: Definition<Parameters, Data>
    /** Makes the definition. */
    readonly init: (initCtx?: InitContext) => Promise<Definition<Parameters, Data>>
  }
}

/** Tools with an id. */
export const Tool = {
  /** Defines a tool with an id. */
  define,
}

/**
 * Defines a tool. A function makes the definition when the tool is initialised.
 *
 * @throws DEFINITION_INVALID if it has no id, or, at once or from `init`, if its definition lacks a field
 */
function define<Parameters extends DescribedSchema, Data extends Tool.Metadata = Tool.Metadata>(
  id: string,
  definition:
    | Tool.Definition<Parameters, Data>
    | ((
        initCtx: Tool.InitContext,
      ) => Tool.Definition<Parameters, Data> | Promise<Tool.Definition<Parameters, Data>>),
): Tool.Info<Parameters, Data> {
  if (typeof id !== 'string' || id === '')
    throw invalid(String(id), 'is defined without an id', "Write `Tool.define('my-tool', { … })`.")
  if (typeof definition === 'function')
    return { id, init: async (initCtx = {}) => checked(id, await definition(initCtx)) }
  return { id, definition: checked(id, definition), init: async () => definition }
}

/** @throws DEFINITION_INVALID for anything but a tool with an id, such as a tool of `defineTool` */
export function checkInfo(info: Partial<Tool.Info> | undefined): void {
  const { id, init, definition } = info ?? {}
  const hint = "Register what `Tool.define('my-tool', { … })` returns."
  if (typeof id !== 'string' || id === '') throw invalid(String(id), 'is registered without an id', hint)
  if (typeof init !== 'function') throw invalid(id, 'is registered without a function `init`', hint)
  if (definition !== undefined) checkExecute(id, definition)
}

/** @throws DEFINITION_INVALID if a definition cannot be called */
export function checkExecute(id: string, made: Partial<Tool.Definition> | undefined): void {
  if (typeof made?.execute === 'function') return
  throw invalid(
    id,
    'has no function `execute`',
    'Give `execute: async (args, ctx) => ({ title, metadata, output })`.',
  )
}

function checked<Parameters extends DescribedSchema, Data extends Tool.Metadata>(
  id: string,
  made: Tool.Definition<Parameters, Data>,
): Tool.Definition<Parameters, Data> {
  checkExecute(id, made)
  const { parameters, execute: _, ...rest } = made
  if (!isStandardSchema(parameters))
    throw invalid(id, 'has no schema `parameters`', 'Give one of a schema library: `z.object({ … })`.')
  const unknown = Object.keys(rest).find(field => field !== 'description')
  if (unknown !== undefined)
    throw invalid(
      id,
      `has the field "${unknown}", which \`Tool.define\` does not know`,
      'It knows description, parameters, execute.',
    )
  return made
}

function invalid(tool: string, problem: string, hint: string): AgentAppsError {
  return new AgentAppsError('DEFINITION_INVALID', `The tool "${tool}" ${problem}.`, { hint, tool })
}
