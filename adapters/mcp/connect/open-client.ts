import type { Client } from '@modelcontextprotocol/client'
import { AgentAppsError } from 'agent-apps'

/** The place of a server: a command that starts it, or its URL. */
export type McpServerPlace =
  | {
      command: string
      args?: readonly string[] | undefined
      /** Added to a few variables such as `PATH`; nothing else of the environment is passed on. */
      env?: Readonly<Record<string, string>> | undefined
      cwd?: string | undefined
    }
  | { url: string | URL; headers?: Readonly<Record<string, string>> | undefined }

/** A message of more bytes ends the connection. */
export const MESSAGE_MAX = 8 * 1024 * 1024

/** How long a server may take to connect, and to say what it has, in milliseconds. */
export const CONNECT_MS = 60_000

/** How long a server may take to say which protocol it speaks; one that says nothing speaks that of 2025. */
const PROBE_MS = 10_000

/** A client that is connected to a server. */
export async function openClient(place: McpServerPlace): Promise<Client> {
  const timeout = CONNECT_MS
  const { Client, StreamableHTTPClientTransport } = await clientPackage()
  const client = new Client(
    { name: 'agent-apps', version: '1' },
    {
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: PROBE_MS } },
      // A server would have its patterns run over its own texts here. What it answers is data, whatever its shape.
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
      {
        hint: 'Run `npm install @modelcontextprotocol/client`.',
        cause: error,
      },
    )
  }
}

const LINE_FEED = 10

/** `fetch`, whose answers fail once one message in them has more bytes. */
function boundedFetch(max: number): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const response = await fetch(url, init)
    if (!response.body) return response
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false
    const bounded = new Response(response.body.pipeThrough(bound(max, isStream)), response)
    // What a response was made of is not copied with it.
    Object.defineProperties(bounded, {
      url: { value: response.url },
      redirected: { value: response.redirected },
    })
    return bounded
  }
}

/** @param isStream true where an empty line ends a message */
function bound(max: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  let last = 0
  return new TransformStream({
    transform(chunk, controller) {
      for (const byte of chunk) {
        bytes = isStream && byte === LINE_FEED && last === LINE_FEED ? 0 : bytes + 1
        // CRLF ends lines as well.
        if (byte !== 13) last = byte
        if (bytes > max)
          return controller.error(new Error(`The server sent a message of more than ${max} bytes.`))
      }
      controller.enqueue(chunk)
    },
  })
}
