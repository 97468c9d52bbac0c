import {
  AgentAppsError,
  defineTool,
  type JsonObject,
  type Runtime,
  safeStringify,
  type ToolContext,
} from 'agent-apps'
import { asSchema, type Tool, type ToolSet } from 'ai'
import { checkOptionsOf } from '../check-options.js'
import { registerAll } from '../skill-tools/register-all.js'

type AiTool = ToolSet[string]

/** The options of `registerAiTools`. */
export interface RegisterAiToolsOptions {
  /** Put before each name. Default: nothing. */
  prefix?: string | undefined
}

/**
 * Registers tools of the AI SDK with a runtime, which then finds, checks and calls them like its own. All are registered,
 * or none. Returns a function that removes them again.
 *
 * @throws OPTIONS_INVALID, also for a tool without `execute`; what `runtime.register` throws
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
    // A copy, since schemas of libraries may contain more than JSON.
    params: JSON.parse(JSON.stringify(params)) as JsonObject,
    // A function could decide only once the call is made.
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
    // The last value is the result; the earlier ones are preliminary.
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

/** The arguments after the defaults and transforms of the tool's own schema. */
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
    hint: "A provider or the application's client runs it: leave it out here, and pass it to the SDK directly.",
    tool,
  })
}

type ModelOutput = Awaited<ReturnType<NonNullable<Tool['toModelOutput']>>>

/** An SDK tool's result as one of ours, with the whole returned value as metadata. */
function resultOf(title: string, output: unknown, shown: ModelOutput): unknown {
  const metadata = { output }
  switch (shown.type) {
    case 'text':
    case 'json':
      return { title, metadata, output: shown.value }
    case 'content':
      return { title, metadata, ...contentOf(shown.value as readonly Part[]) }
    case 'execution-denied':
      return { error: 'TOOL_FAILED', message: shown.reason ?? 'The call was denied.' }
    default:
      return { error: 'TOOL_FAILED', message: textOf(shown.value) }
  }
}

/** A part of a tool's output, of either version. */
interface Part {
  type: string
  text?: string
  /** Base64; in version 7, data or a URL. */
  data?: string | { type: string; data?: unknown; url?: unknown }
  url?: string
  mediaType?: string
  filename?: string
}

function contentOf(parts: readonly Part[]): { output: string; attachments?: unknown[] } {
  const isText = ({ type }: Part): boolean => type === 'text'
  const output = parts.filter(isText).map(({ text }) => text)
  const attachments = parts.filter(part => !isText(part)).map(attachmentOf)
  return { output: output.join('\n'), ...(attachments.length > 0 && { attachments }) }
}

/** A part as an attachment with data or a URL; any other part stays as it is. */
function attachmentOf(part: Part): unknown {
  const { data, url, mediaType, filename } = part
  const given = typeof data === 'object' ? { data: data.data, url: data.url } : { data, url }
  if (given.data === undefined && given.url === undefined) return part
  return JSON.parse(
    JSON.stringify({
      ...given,
      url: given.url === undefined ? undefined : String(given.url),
      mediaType,
      filename,
    }),
  )
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : safeStringify(value)
}
