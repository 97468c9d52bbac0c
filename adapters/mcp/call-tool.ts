import {
  type CallToolRequestParams,
  type CallToolResult,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { failureForModel } from 'agent-apps'
import { approved } from './ask-client.js'
import { callResult, failureResult } from './call-result.js'
import type { Connection } from './connection.js'
import { withProgress } from './progress.js'
import { outputSchemaOf } from './served-tools.js'

/**
 * Answers `tools/call`: the tool's result, or what the person at the client is to be asked first. What a call throws is
 * told to the model.
 *
 * @throws ProtocolError for the name of no tool that is served
 */
export async function callTool(
  connection: Connection,
  { name, arguments: args = {} }: CallToolRequestParams,
  ctx: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { agent, ids, runtime, served, mcp } = connection
  const tool = await served.find(name)
  if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Tool ${name} not found`)
  try {
    const { ask, callId } = await approved(connection, tool.name, args, ctx)
    if (ask) return ask
    const options = { ...ids, signal: ctx.mcpReq.signal, ...(callId !== undefined && { callId }) }
    const result = await withProgress(runtime, ctx, () => agent.invoke(tool.name, args, options))
    return mcp.server.projectCallToolResult(callResult(result, tool), outputSchemaOf(tool))
  } catch (error) {
    return failureResult(failureForModel(error))
  }
}
