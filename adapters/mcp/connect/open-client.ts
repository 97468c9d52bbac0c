import type { Client } from '@modelcontextprotocol/client'
import { AgentAppsError } from 'agent-apps'

/** The location of a server: a command that starts it, or its URL. */
export type McpServerPlace =
  | {
      command: string
      args?: readonly string[] | undefined
      /** Added to a few variables such as `PATH`. No others are passed on. */
      env?: Readonly<Record<string, string>> | undefined
      cwd?: string | undefined
    }
  | { url: string | URL; headers?: Readonly<Record<string, string>> | undefined }

/** The most bytes of a message; a larger one ends the connection. */
const MESSAGE_MAX = 8 * 1024 * 1024

/** The time for connecting, and for each list of a server, in milliseconds. */
export const CONNECT_MS = 60_000

/** The time for a server to state its protocol, in milliseconds; without an answer, it is that of 2025. */
const PROBE_MS = 10_000

export async function openClient(place: McpServerPlace): Promise<Client> {
  const timeout = CONNECT_MS
  const { Client, StreamableHTTPClientTransport } = await clientPackage()
  const client = new Client(
    { name: 'agent-apps', version: '1' },
    {
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: PROBE_MS } },
      // Validation would run the server's patterns over its own texts. Answers are untrusted data anyway.
      jsonSchemaValidator: {
        getValidator: () => input => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
    },
  )
  if ('url' in place) {
    const { url, headers = {} } = place
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { ...headers } },
      fetch: boundedFetch(MESSAGE_MAX),
    })
    await client.connect(transport, { timeout })
    return client
  }
  const { StdioClientTransport, getDefaultEnvironment } = await import('@modelcontextprotocol/client/stdio')
  const { command, args = [], env = {}, cwd } = place
  const transport = new StdioClientTransport({
    ...{ command, args: [...args], stderr: 'ignore', maxBufferSize: MESSAGE_MAX },
    env: { ...getDefaultEnvironment(), ...env },
    ...(cwd !== undefined && { cwd }),
  })
  await client.connect(transport, { timeout })
  return client
}

export async function clientPackage(): Promise<typeof import('@modelcontextprotocol/client')> {
  try {
    return await import('@modelcontextprotocol/client')
  } catch (error) {
    throw new AgentAppsError(
      'MODULE_MISSING',
      'The package "@modelcontextprotocol/client" cannot be loaded.',
      { hint: 'Run `npm install @modelcontextprotocol/client`.', cause: error },
    )
  }
}

const LINE_FEED = 10

/** A `fetch` whose responses fail once a message has too many bytes. */
function boundedFetch(max: number): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const response = await fetch(url, init)
    if (!response.body) return response
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false
    const bounded = new Response(response.body.pipeThrough(bound(max, isStream)), response)
    // The constructor does not copy these.
    Object.defineProperties(bounded, {
      url: { value: response.url },
      redirected: { value: response.redirected },
    })
    return bounded
  }
}

/** @param isStream true if an empty line ends a message */
function bound(max: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  let last = 0
  return new TransformStream({
    transform(chunk, controller) {
      for (const byte of chunk) {
        bytes = isStream && byte === LINE_FEED && last === LINE_FEED ? 0 : bytes + 1
        // Lines may also end with CRLF.
        if (byte !== 13) last = byte
        if (bytes > max)
          return controller.error(new Error(`The server sent a message of more than ${max} bytes.`))
      }
      controller.enqueue(chunk)
    },
  })
}
