import {
  type GetPromptRequestParams,
  type GetPromptResult,
  type InputRequiredResult,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { isAgentAppsError, type JsonObject, type ToolDef } from 'agent-apps'
import { isObject } from '../is-object.js'
import { approved } from './ask-client.js'
import { openedContent, openedOf } from './call-result.js'
import type { Connection } from './connection.js'
import { byKey, pageOf } from './pages.js'
import type { ServedTools } from './served-tools.js'

/** The skills that a person may call, with the arguments from their `params`. */
export async function listPrompts(
  served: ServedTools,
  cursor: string | undefined,
): Promise<{ prompts: Prompt[]; nextCursor?: string }> {
  const { items, ...more } = pageOf(promptsAmong(await served.visible()), ({ name }) => name, cursor)
  return { prompts: items.map(describePrompt), ...more }
}

/** The prompts among an agent's tools, sorted by name. */
export function promptsAmong(tools: readonly ToolDef[]): ToolDef[] {
  return tools.filter(isPrompt).sort(byKey(({ name }) => name))
}

/**
 * Opens a skill with a person's arguments.
 *
 * @throws ProtocolError for an unknown prompt, or a skill that cannot be opened
 */
export async function getPrompt(
  connection: Connection,
  { name, arguments: given = {} }: GetPromptRequestParams,
  ctx: ServerContext,
): Promise<GetPromptResult | InputRequiredResult> {
  const { agent, ids } = connection
  const tool = await agent.findTool(name)
  if (tool?.name !== name || !isPrompt(tool))
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Prompt ${name} not found`)
  const args = argumentsOf(given, tool)
  try {
    const { ask, callId } = await approved(connection, name, args, ctx)
    if (ask) return ask
    const options = { ...ids, signal: ctx.mcpReq.signal, ...(callId !== undefined && { callId }) }
    const blocks = openedContent(openedOf(await agent.open(name, args, options), tool), tool)
    return { messages: blocks.map(content => ({ role: 'user', content })) }
  } catch (error) {
    if (!isAgentAppsError(error)) throw error
    const { code, message, hint } = error
    const kind = code === 'ARGS_INVALID' ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError
    throw new ProtocolError(kind, `${code}: ${message} ${hint}`)
  }
}

function isPrompt({ frontmatter, content }: ToolDef): boolean {
  return content !== undefined && frontmatter.extra['user-invocable'] === true
}

function describePrompt({ name, frontmatter }: ToolDef): Prompt {
  const { title, description, params } = frontmatter
  const required = Array.isArray(params?.required) ? params.required : []
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    arguments: Object.entries(propertiesOf(params)).map(([argument, schema]) => ({
      name: argument,
      required: required.includes(argument),
      ...(isObject(schema) && typeof schema.description === 'string' && { description: schema.description }),
    })),
  }
}

/** Parses the arguments of a prompt, which are all strings, as JSON unless the schema allows a string. */
function argumentsOf(given: Record<string, string>, { frontmatter }: ToolDef): Record<string, unknown> {
  const properties = propertiesOf(frontmatter.params)
  return Object.fromEntries(
    Object.entries(given).map(([name, text]) => {
      const schema = properties[name]
      const isText = !isObject(schema) || schema.type === undefined || [schema.type].flat().includes('string')
      return [name, isText ? text : asJson(text)]
    }),
  )
}

/** Text that is not JSON stays as it is, and then breaks the skill's schema. */
function asJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function propertiesOf(params: JsonObject | undefined): JsonObject {
  return isObject(params?.properties) ? params.properties : {}
}
