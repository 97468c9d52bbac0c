import { AgentAppsError, defineTool, type JsonObject, type Runtime, type ToolContext } from 'agent-apps'
import { asSchema, type ToolSet } from 'ai'
import { checkOptionsOf } from '../skill-tools/offer-options.js'
import { registerAll } from '../skill-tools/register-all.js'
import { resultOf } from './result-of-ai-tool.js'

type AiTool = ToolSet[string]

export interface RegisterAiToolsOptions {
  /** Put before each name. Default: nothing. */
  prefix?: string | undefined
}

/**
 * Registers tools of the AI SDK with a runtime, which then finds, checks and calls them like its own. Returns a
 * function that takes them away again.
 *
 * @throws OPTIONS_INVALID, also for a tool without `execute`; what `runtime.register` throws. Then none is registered
 */
export function registerAiTools(
  runtime: Runtime,
  tools: ToolSet,
  options: RegisterAiToolsOptions = {},
): () => void {
  checkOptionsOf('registerAiTools').keys(options, ['prefix'])
  const { prefix = '' } = options
  return registerAll(Object.entries(tools), ([name, tool]) => register(runtime, tool, prefix + name))
}

function register(runtime: Runtime, tool: AiTool, name: string): () => void {
  if (!tool.execute) throw notExecuted(name)
  const { jsonSchema, validate } = asSchema(tool.inputSchema)
  const options = { validate: validate ? ('owner' as const) : undefined }
  if (!('then' in jsonSchema))
    return runtime.register({ name, ...definitionOf(name, tool, jsonSchema) }, options)
  return runtime.register(
    defineTool(name, async () => definitionOf(name, tool, await jsonSchema)),
    options,
  )
}

interface Definition {
  description: string
  title?: string
  params: JsonObject
  gated?: boolean
  execute: (args: unknown, context: ToolContext) => Promise<unknown>
}

function definitionOf(name: string, tool: AiTool, params: object): Definition {
  const { description, title, needsApproval = false } = tool
  return {
    description: description ?? title ?? name,
    ...(title !== undefined && { title }),
    // A copy, as what a schema library makes of it hides more than JSON.
    params: JSON.parse(JSON.stringify(params)) as JsonObject,
    // A function would decide only once the call is made.
    ...(needsApproval !== false && { gated: true }),
    execute: (args, context) => call(name, tool, args, context),
  }
}

async function call(
  name: string,
  tool: AiTool,
  args: unknown,
  { callId = crypto.randomUUID(), signal, update }: ToolContext,
): Promise<unknown> {
  const input = await validated(name, tool, args)
  const options = { toolCallId: callId, messages: [], abortSignal: signal }
  const given: unknown = await tool.execute?.(input, options)
  let output = given
  if (isIterable(given)) {
    // The last is the result, those before it are preliminary ones.
    let count = 0
    for await (const one of given) {
      if (count++ > 0) update({ metadata: { output } })
      output = one
    }
  }
  const { toModelOutput } = tool
  return toModelOutput
    ? resultOf(name, output, await toModelOutput({ toolCallId: callId, input, output }))
    : output
}

/** The arguments as the tool's own schema gives them, with its defaults and transforms. */
async function validated(tool: string, { inputSchema }: AiTool, args: unknown): Promise<unknown> {
  const checked = await asSchema<unknown>(inputSchema).validate?.(args)
  if (!checked) return args
  if (checked.success) return checked.value
  throw new AgentAppsError('ARGS_INVALID', checked.error.message, {
    hint: 'Call it again with arguments that its schema allows.',
    tool,
    cause: checked.error,
  })
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

function notExecuted(tool: string): AgentAppsError {
  return new AgentAppsError('OPTIONS_INVALID', `The tool "${tool}" has no \`execute\`.`, {
    hint: "A provider or the application's client runs it: leave it out, and give it to the SDK beside the others.",
    tool,
  })
}
