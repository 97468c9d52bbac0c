import { AgentAppsError, foreignText, type JsonObject, type ToolContext } from 'agent-apps'
import { clientPackage } from './open-client.js'
import { resultOf } from './remote-result.js'
import { type ServerLink, textOf } from './server-link.js'

/** A call that goes on for so many times `timeoutMs` ends, whatever progress the server reports. */
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

/** The error for what a server does not answer as it should. */
export function serverFault(server: string, error: unknown): AgentAppsError {
  return new AgentAppsError('MCP_FAILED', `The server "${server}" failed: ${textOf(error)}.`, {
    hint: 'The server gave an error, or an answer that the protocol does not have: see what it logs.',
    cause: error,
  })
}

/** The server is told that nobody waits any more. */
function aborted(tool: string, cause: unknown): AgentAppsError {
  return new AgentAppsError('RUN_ABORTED', `The call of "${tool}" was stopped.`, {
    hint: 'The signal of the call was aborted: its result is no longer needed.',
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
      {
        hint: 'Try again, or connect with a longer `timeoutMs`.',
        tool,
        cause: error,
      },
    )
  if (await isGone(error))
    return new AgentAppsError(
      'MCP_UNAVAILABLE',
      `The server "${server}" cannot be reached: ${foreignText(textOf(error), `the server "${server}"`)}.`,
      {
        hint: 'It is connected to again. Whether the call had an effect is not known.',
        modelHint: 'Whether the call had an effect is not known. Try again later.',
        tool,
        cause: error,
      },
    )
  const said =
    error instanceof ProtocolError ? foreignText(textOf(error), `the server "${server}"`) : textOf(error)
  return new AgentAppsError('MCP_FAILED', `The server "${server}" failed: ${said}.`, {
    hint: 'The server gave an error, or an answer that the protocol does not have: see what it logs.',
    tool,
    cause: error,
  })
}

/** True where a server has to be connected to again: it does not know us any more, or is not there. */
async function isGone(error: unknown): Promise<boolean> {
  const { SdkError, SdkErrorCode, SdkHttpError } = await clientPackage()
  if (error instanceof SdkHttpError) return true
  if (error instanceof SdkError)
    return [SdkErrorCode.ConnectionClosed, SdkErrorCode.NotConnected, SdkErrorCode.SendFailed].includes(
      error.code,
    )
  return error instanceof TypeError && error.message === 'fetch failed'
}
