import { AgentAppsError, foreignText, type JsonObject, type ToolContext } from 'agent-apps'
import { clientPackage } from './open-client.js'
import { resultOf } from './remote-result.js'
import { type ServerLink, textOf } from './server-link.js'

/** The longest time of a call in multiples of `timeoutMs`, whatever progress the server reports. */
const PATIENCE = 10

/**
 * Calls a tool of a server.
 *
 * @throws MCP_UNAVAILABLE, MCP_FAILED, TOOL_TIMEOUT, RUN_ABORTED
 */
export async function callRemote(
  link: ServerLink,
  tool: string,
  args: JsonObject,
  { signal, update }: Pick<ToolContext, 'signal' | 'update'>,
): Promise<unknown> {
  const { server, timeoutMs } = link.options
  const client = await link.client()
  try {
    const result = await client.callTool(
      { name: tool, arguments: args },
      {
        signal,
        ...{ timeout: timeoutMs, resetTimeoutOnProgress: true, maxTotalTimeout: PATIENCE * timeoutMs },
        onprogress: ({ progress, total, message }) =>
          update({
            progress,
            ...(total !== undefined && { total }),
            ...(message !== undefined && { title: message.slice(0, 200) }),
          }),
      },
    )
    link.noteSuccess()
    return resultOf(result, { server, tool })
  } catch (error) {
    if (signal.aborted) throw aborted(tool, signal.reason)
    if (await isGone(error)) link.noteFailure(client, textOf(error))
    throw await callFault(server, tool, error, timeoutMs)
  }
}

/** The error for a server that answers with an error or not according to the protocol. */
export function serverFault(
  server: string,
  error: unknown,
  tool?: string,
  text = textOf(error),
): AgentAppsError {
  return new AgentAppsError('MCP_FAILED', `The server "${server}" failed: ${text}.`, {
    hint: 'The server returned an error or an invalid answer: see its log.',
    ...(tool !== undefined && { tool }),
    cause: error,
  })
}

function aborted(tool: string, cause: unknown): AgentAppsError {
  return new AgentAppsError('RUN_ABORTED', `The call of "${tool}" was stopped.`, {
    hint: 'The signal of the call was aborted.',
    tool,
    cause,
  })
}

async function callFault(
  server: string,
  tool: string,
  error: unknown,
  timeoutMs: number,
): Promise<AgentAppsError> {
  const { SdkError, SdkErrorCode, ProtocolError } = await clientPackage()
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return new AgentAppsError(
      'TOOL_TIMEOUT',
      `The server "${server}" did not answer within ${timeoutMs} ms.`,
      { hint: 'Try again, or connect with a longer `timeoutMs`.', tool, cause: error },
    )
  const foreign = (): string => foreignText(textOf(error), `the server "${server}"`)
  if (await isGone(error))
    return new AgentAppsError('MCP_UNAVAILABLE', `The server "${server}" cannot be reached: ${foreign()}.`, {
      hint: 'The connection is tried again. It is unknown whether the call had an effect.',
      modelHint: 'It is unknown whether the call had an effect. Try again later.',
      tool,
      cause: error,
    })
  return serverFault(server, error, tool, error instanceof ProtocolError ? foreign() : textOf(error))
}

/** True if the connection must be made again, since the server has forgotten the session or is gone. */
async function isGone(error: unknown): Promise<boolean> {
  const { SdkError, SdkErrorCode, SdkHttpError } = await clientPackage()
  if (error instanceof SdkHttpError) return true
  if (error instanceof SdkError)
    return [SdkErrorCode.ConnectionClosed, SdkErrorCode.NotConnected, SdkErrorCode.SendFailed].includes(
      error.code,
    )
  return error instanceof TypeError && error.message === 'fetch failed'
}
