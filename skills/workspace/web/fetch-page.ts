import { AgentAppsError } from 'agent-apps'
import { Agent, type Dispatcher, fetch, ProxyAgent, type Response } from 'undici'
import { type HostAddress, hostAddresses, type ResolveName } from './host-addresses.js'
import { mediaTypeOf } from './media-type.js'
import { checkUrl } from './page-url.js'

const REDIRECTS_MAX = 5
/** The most bytes to read of a page. */
const BYTES_MAX = 5_000_000
const REDIRECTING = [301, 302, 303, 307, 308]

interface FetchOptions {
  signal: AbortSignal
  /** Hosts that may have a private address. */
  allow?: readonly string[] | undefined
  /** A proxy for all requests, which then checks addresses instead of this code. */
  proxy?: string | undefined
  /** Called with each URL before it is fetched. */
  onFetch?: (url: URL) => void
  resolve?: ResolveName
  connectTo?: (addresses: readonly HostAddress[]) => Dispatcher
}

export interface FetchedPage {
  /** The URL after redirects. */
  url: URL
  status: number
  contentType: string | null
  bytes: Uint8Array
  /** True if there was more. */
  isCut: boolean
  /** A redirect to another origin, which was not followed. */
  redirect: URL | null
}

/**
 * Fetches a page, following redirects within its origin.
 *
 * @throws FETCH_REFUSED, FETCH_FAILED; the signal's reason
 */
export async function fetchPage(url: URL, options: FetchOptions): Promise<FetchedPage> {
  let at = url
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
    const page = await fetchOnce(at, options)
    if (page.redirect === null || page.redirect.origin !== at.origin) return page
    at = page.redirect
  }
  throw failed(url, `it redirects more than ${REDIRECTS_MAX} times`)
}

async function fetchOnce(url: URL, options: FetchOptions): Promise<FetchedPage> {
  const { signal, onFetch } = options
  checkUrl(url)
  onFetch?.(url)
  const dispatcher = await dispatcherFor(url, options)
  try {
    const response = await fetch(url, { dispatcher, signal, redirect: 'manual', headers: HEADERS })
    return await pageOf(url, response)
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof TypeError ? failed(url, reasonOf(error), error) : error
  } finally {
    await dispatcher.destroy()
  }
}

const HEADERS = {
  accept: 'text/html, text/markdown, text/plain, application/json;q=0.9, */*;q=0.5',
  'user-agent': 'agent-apps webfetch',
}

async function dispatcherFor(url: URL, options: FetchOptions): Promise<Dispatcher> {
  const { allow, proxy, resolve, signal, connectTo = agentFor } = options
  if (proxy !== undefined) return new ProxyAgent(proxy)
  return connectTo(await unlessAborted(hostAddresses(url, allow, resolve), signal))
}

/** Connects only to these addresses: another look-up of the name could return other ones. */
function agentFor(addresses: readonly HostAddress[]): Dispatcher {
  return new Agent({
    connect: {
      lookup: (_name, { all }, answer) => {
        const [first = { address: '', family: 0 }] = addresses
        if (all) answer(null, [...addresses])
        else answer(null, first.address, first.family)
      },
    },
  })
}

/** Races a look-up, which cannot be cancelled, against the signal. */
function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    signal.addEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

async function pageOf(url: URL, response: Response): Promise<FetchedPage> {
  const { status, headers } = response
  const location = REDIRECTING.includes(status) ? headers.get('location') : null
  const contentType = headers.get('content-type')
  const about = { url, status, contentType }
  if (location !== null) {
    const redirect = URL.canParse(location, url.href) ? new URL(location, url) : null
    if (redirect === null) throw failed(url, 'it redirects to an invalid URL')
    checkUrl(redirect)
    return { ...about, bytes: new Uint8Array(), isCut: false, redirect }
  }
  if (mediaTypeOf(contentType).kind === null)
    throw failed(
      url,
      `its type is ${contentType ? JSON.stringify(contentType.slice(0, 100)) : 'unknown'}, not text`,
    )
  return { ...about, ...(await bytesOf(response)), redirect: null }
}

async function bytesOf({ body }: Response): Promise<{ bytes: Uint8Array; isCut: boolean }> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body ?? []) {
    parts.push(part)
    size += part.length
    if (size > BYTES_MAX) break
  }
  return { bytes: Buffer.concat(parts).subarray(0, BYTES_MAX), isCut: size > BYTES_MAX }
}

function failed(url: URL, why: string, cause?: unknown): AgentAppsError {
  return new AgentAppsError('FETCH_FAILED', `${url.href} cannot be fetched: ${why}.`, {
    hint: 'Check the URL, or fetch another one.',
    tool: 'webfetch',
    cause,
  })
}

/** The message of the innermost cause of an error. */
function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error ? reasonOf(cause) : message.replace(/\.$/, '')
}
