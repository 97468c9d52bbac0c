import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type CallToolRequestParams,
  type CallToolResult,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { failureForModel, type Runtime } from 'agent-apps'
import { DISCOVER } from '../skill-tools/skill-access.js'
import { approved } from './ask-client.js'
import { callResult, failureResult } from './call-result.js'
import type { Connection } from './connection.js'
import { SEARCH_SKILLS, searchArguments, searchResult } from './search-skills.js'
import { outputSchemaOf } from './served-tools.js'

/**
 * Answers `tools/call` with the tool's result or failure, or with a question for the person at the client.
 *
 * @throws ProtocolError for an unknown tool
 */
export async function callTool(
  connection: Connection,
  { name, arguments: args = {} }: CallToolRequestParams,
  ctx: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { served, mcp } = connection
  const tool = await served.find(name)
  if (tool)
    return made(connection, tool.name, args, ctx, result =>
      mcp.server.projectCallToolResult(callResult(result, tool), outputSchemaOf(tool)),
    )
  const searched = name === SEARCH_SKILLS.name ? await served.searched() : null
  if (!searched) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Tool ${name} not found`)
  return made(connection, DISCOVER, searchArguments(args, searched), ctx, result =>
    searchResult(result, searched),
  )
}

/** Makes a call, once the person at the client was asked about it where that must be. */
async function made(
  connection: Connection,
  name: string,
  args: unknown,
  ctx: ServerContext,
  shown: (result: unknown) => CallToolResult,
): Promise<CallToolResult | InputRequiredResult> {
  const { agent, ids, runtime } = connection
  try {
    const { ask, callId } = await approved(connection, name, args, ctx)
    if (ask) return ask
    const options = { ...ids, signal: ctx.mcpReq.signal, ...(callId !== undefined && { callId }) }
    return shown(await withProgress(runtime, ctx, () => agent.invoke(name, args, options)))
  } catch (error) {
    return failureResult(failureForModel(error))
  }
}

/** The current request. Events carry only an internal id of their call. */
const requests = new AsyncLocalStorage<ServerContext>()

/** Makes a call, and sends its progress to a client that wants it. */
async function withProgress(
  runtime: Runtime,
  ctx: ServerContext,
  call: () => Promise<unknown>,
): Promise<unknown> {
  const { _meta, notify } = ctx.mcpReq
  const progressToken = _meta?.progressToken
  if (progressToken === undefined) return call()
  let last = -1
  const sent: Promise<void>[] = []
  const stop = runtime.globals.events.on('tool:update', ({ progress, total, title }) => {
    if (requests.getStore() !== ctx) return
    // Progress must grow with each notification.
    const next = progress ?? (total === undefined ? Math.max(last, 0) + 1 : last)
    if (!(next > last)) return
    last = next
    const params = {
      ...{ progressToken, progress: next },
      ...(total !== undefined && { total }),
      ...(title !== undefined && { message: title }),
    }
    sent.push(
      notify({ method: 'notifications/progress', params }).catch(() => {
        // The client is gone, and the request's signal ends the call.
      }),
    )
  })
  try {
    return await requests.run(ctx, call)
  } finally {
    stop()
    await Promise.all(sent)
  }
}
