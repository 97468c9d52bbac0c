import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { servedPage } from './encode-page.js'

const LOOPBACK = '127.0.0.1'
/** The most connections at a time. */
const CONNECTIONS_MAX = 64
/** Milliseconds within which a request must be sent. */
const REQUEST_TIMEOUT = 30_000

/** A server of the page on the loopback interface. */
export interface PageServer {
  /** The address with the token, which only the person who started the command gets. */
  url: string
  /** Tells the pages that are open to read their data again. */
  changed: () => void
  close: () => Promise<void>
}

/**
 * Serves the page and its blocks on a free port. The page itself has no data and is given to everybody; a block only to who has
 * the cookie, which the token is exchanged for. Another site's page, and a name that was led here, are refused.
 *
 * @param blockOf the compressed bytes of a block; undefined without such a block
 */
export async function openPageServer(blockOf: (name: string) => Uint8Array | undefined): Promise<PageServer> {
  const [token, session] = [secret(), secret()]
  const listeners = new Set<ServerResponse>()
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT, headersTimeout: REQUEST_TIMEOUT / 2 })
  server.maxConnections = CONNECTIONS_MAX
  server.listen({ host: LOOPBACK, port: 0, exclusive: true })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const cookie = `agent-apps-explore-${port}`
  const page = servedPage()
  server.on('request', (request, response) => {
    const { method = '', url = '', headers } = request
    const path = url.split('?')[0] ?? ''
    const refused = refusal(request, port)
    if (refused) return end(response, 403, refused)
    if (method === 'GET' && path === '/')
      return end(response, 200, page, { 'content-type': 'text/html; charset=utf-8' })
    if (method === 'POST' && path === '/session') {
      const [, given = ''] = /^Bearer (.+)$/.exec(headers.authorization ?? '') ?? []
      if (!isSame(given, token)) return end(response, 401, 'The token is not valid')
      return end(response, 204, '', {
        'set-cookie': `${cookie}=${session}; HttpOnly; SameSite=Strict; Path=/`,
      })
    }
    if (method !== 'GET') return end(response, 405, 'There is nothing to send here')
    if (!isSame(cookieIn(headers.cookie, cookie), session))
      return end(response, 401, 'Open the address that the command printed')
    if (path === '/changes') return listen(response, listeners)
    const [, name = ''] = /^\/blocks\/([\w-]+)$/.exec(path) ?? []
    const block = blockOf(name)
    if (block) return end(response, 200, block, { 'content-type': 'application/octet-stream' })
    end(response, 404, 'There is no such block')
  })
  return {
    url: `http://${LOOPBACK}:${port}/#token=${token}`,
    changed() {
      for (const response of listeners) response.write('data: changed\n\n')
    },
    async close() {
      server.close()
      server.closeAllConnections()
      if (server.listening) await once(server, 'close')
    },
  }
}

/** Why a request is refused, with a token or without; null if it is not. */
function refusal({ headers }: IncomingMessage, port: number): string | null {
  const hosts = [`${LOOPBACK}:${port}`, `localhost:${port}`]
  // DNS rebinding: a browser that another name led here sends that name.
  if (!hosts.includes(headers.host ?? '')) return 'The request is for another host'
  const { origin, 'sec-fetch-site': site = 'none' } = headers
  if (origin !== undefined && !hosts.some(host => origin === `http://${host}`))
    return 'The request is from another site'
  return site === 'none' || site === 'same-origin' ? null : 'The request is from another site'
}

function end(
  response: ServerResponse,
  status: number,
  body: string | Uint8Array,
  headers: Record<string, string> = { 'content-type': 'text/plain' },
): void {
  response.writeHead(status, {
    ...headers,
    ...SAFE,
    // The rest of a refused request is not read.
    ...(status >= 400 && { connection: 'close' }),
  })
  response.end(body)
}

/** The page cannot be put into a frame of another, nor its data be used there. */
const SAFE = {
  'content-security-policy': "frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

function listen(response: ServerResponse, listeners: Set<ServerResponse>): void {
  response.writeHead(200, { ...SAFE, 'content-type': 'text/event-stream' })
  response.write(': listening\n\n')
  listeners.add(response)
  response.once('close', () => listeners.delete(response))
}

function cookieIn(header: string | undefined, name: string): string {
  const pairs = (header ?? '').split(/;\s*/).map(pair => pair.split(/=(.*)/s))
  return pairs.find(([key]) => key === name)?.[1] ?? ''
}

function secret(): string {
  return randomBytes(32).toString('hex')
}

/** Compares in a time that tells nothing, by digests, since that needs equal lengths. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
