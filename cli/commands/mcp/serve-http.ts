import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from '@modelcontextprotocol/node'
import {
  createMcpHandler,
  localhostAllowedHostnames,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server'
import type { ServedSkills } from 'agent-apps/mcp'
import type { Invocation } from '../../command.js'
import { usageError } from '../../usage-error.js'

const TOKEN = 'AGENT_APPS_MCP_TOKEN'
const LOOPBACK = '127.0.0.1'
const PATH = '/mcp'

/** The most connections at a time. */
const CONNECTIONS_MAX = 256
/** The most requests at a time; others are answered with 503. */
const REQUESTS_MAX = 64
/** Milliseconds within which a client must send its request. */
const REQUEST_TIMEOUT = 30_000
/** The fewest characters of a token, so that it cannot be guessed. */
const TOKEN_MIN = 16

/** Serves over HTTP to clients with the token, until Ctrl-C. */
export async function serveHttp(
  { create, onChange }: ServedSkills,
  address: string,
  { output, signal }: Invocation,
): Promise<void> {
  const { host, port } = readAddress(address)
  const token = readToken()
  const onerror = (error: Error): void => output.note(`agent-apps mcp: ${error.message}`)
  const handler = createMcpHandler(create, { onerror })
  const stop = onChange(({ tools, prompts, skills }) => {
    if (tools) handler.notify.toolsChanged()
    if (prompts) handler.notify.promptsChanged()
    if (skills) handler.notify.resourcesChanged()
  })
  const answer = toNodeHandler(handler, { onerror })
  const server = guarded(refusalFor(host, token), (request, response) => {
    // Both are set in requests that a server receives.
    void answer(request as IncomingMessage & { method: string; url: string }, response)
  })
  server.listen({ host, port, exclusive: true })
  try {
    await once(server, 'listening')
    const { address: at, port: listening, family } = server.address() as AddressInfo
    output.note(
      `Serving over MCP at http://${family === 'IPv6' ? `[${at}]` : at}:${listening}${PATH}. Press Ctrl-C to stop.`,
    )
    if (!signal.aborted) await once(signal, 'abort')
  } finally {
    stop()
    await handler.close()
    server.close()
    server.closeAllConnections()
  }
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void
/** The refusal of a request; null to answer it. */
type Refuse = (request: IncomingMessage) => { status: number; message: string } | null

/** A server that checks the headers of each request first, and reads nothing of a refused one. */
function guarded(refuse: Refuse, answer: Answer): Server {
  let running = 0
  const server = createServer({
    requestTimeout: REQUEST_TIMEOUT,
    headersTimeout: REQUEST_TIMEOUT / 2,
    // By default, Node looks for late requests only every 30 seconds.
    connectionsCheckingInterval: REQUEST_TIMEOUT / 30,
  })
  server.maxConnections = CONNECTIONS_MAX
  server.on('request', (request, response) => {
    const refused =
      refuse(request) ??
      (running >= REQUESTS_MAX ? { status: 503, message: 'Too many requests at once' } : null)
    if (refused) return void reject(response, refused)
    running++
    response.once('close', () => running--)
    answer(request, response)
  })
  return server
}

function reject(response: ServerResponse, { status, message }: { status: number; message: string }): void {
  const error = { jsonrpc: '2.0', error: { code: -32_000, message }, id: null }
  response.writeHead(status, {
    'content-type': 'application/json',
    // The rest of the request is not read.
    connection: 'close',
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
    ...(status === 503 && { 'retry-after': '1' }),
  })
  response.end(JSON.stringify(error))
}

function refusalFor(host: string, token: string): Refuse {
  const known = [
    ...localhostAllowedHostnames(),
    ...(isAny(host) ? [] : [host.includes(':') ? `[${host}]` : host]),
  ]
  const digest = sha256(token)
  return ({ headers, url = '' }) => {
    // DNS rebinding: a browser that another name led here sends that name.
    const ofHost = isAny(host) ? null : validateHostHeader(headers.host, known)
    if (ofHost?.ok === false) return { status: 403, message: ofHost.message }
    const ofOrigin = validateOriginHeader(headers.origin, known)
    if (!ofOrigin.ok) return { status: 403, message: ofOrigin.message }
    const [, given = ''] = /^Bearer (.+)$/i.exec(headers.authorization ?? '') ?? []
    if (!timingSafeEqual(sha256(given), digest))
      return { status: 401, message: 'The bearer token is not valid' }
    return url.split('?')[0] === PATH ? null : { status: 404, message: `There is only ${PATH}` }
  }
}

/** True for an address that means all interfaces, whose names are not known. */
function isAny(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

/** A digest, since the comparison needs equal lengths. */
function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** @throws USAGE */
function readAddress(given: string): { host: string; port: number } {
  const [, bracketed, host = bracketed, port = ''] =
    /^(?:(?:\[([^\]]+)\]|([^:]+)):)?(\d{1,5})$/.exec(given) ?? []
  if (port !== '' && Number(port) <= 65_535) return { host: host ?? LOOPBACK, port: Number(port) }
  throw usageError(
    `--http=${JSON.stringify(given)} is not an address.`,
    'Write --http=PORT, or --http=HOST:PORT. Port 0 picks a free one.',
  )
}

/** @throws USAGE */
function readToken(): string {
  const token = process.env[TOKEN] ?? ''
  if (token.length >= TOKEN_MIN) return token
  throw usageError(
    token === '' ? `$${TOKEN} is not set.` : `The token in $${TOKEN} has fewer than ${TOKEN_MIN} characters.`,
    `Set it to a long random string, which clients send as a bearer token: \`export ${TOKEN}=$(openssl rand -hex 32)\`.`,
  )
}
