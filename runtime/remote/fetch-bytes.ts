import { thrownText } from '../../src/base/attempt.js'
import { isAgentAppsError } from '../../src/base/error.js'
import { type RemoteEntry, releaseUrl } from '../../src/release/remote-entry.js'
import { missing, tooLarge, unavailable } from './remote-faults.js'

const TIME_LIMIT = 30_000

export interface Fetched {
  bytes: Uint8Array
  /** True if the server gave the range that was asked for, and not the whole file. */
  isRange: boolean
}

/**
 * Fetches a file of a release, or a range of it. Nothing of the answer is believed: it is read up to a number of bytes,
 * after decompression, and within a time, and no redirect is followed.
 *
 * @param most the most bytes of the whole file
 * @param range the first byte, and the one after the last
 * @throws REMOTE_UNAVAILABLE, REMOTE_MISSING, REMOTE_TOO_LARGE
 */
export async function fetchBytes(
  entry: RemoteEntry,
  path: string,
  most: number,
  range?: readonly [start: number, end: number],
): Promise<Fetched> {
  const url = releaseUrl(entry) + path
  const { fetch: given, timeoutMs = TIME_LIMIT } = entry
  const fetchOne = given ?? globalThis.fetch
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const init: RequestInit = {
      signal,
      redirect: 'manual',
      // Workers have no cookies, and refuse to be told so.
      ...('credentials' in Request.prototype && { credentials: 'omit' }),
      // A range of compressed bytes would be of no use.
      headers: range ? { range: `bytes=${range[0]}-${range[1] - 1}`, 'accept-encoding': 'identity' } : {},
    }
    const response = await inTime(fetchOne(url, init), signal)
    const isRange = range !== undefined && response.status === 206
    if (!isRange) expectWhole(response, url)
    else if (!isAsked(response, range))
      throw unavailable(url, 'the server gave another range than was asked for')
    const limit = isRange ? range[1] - range[0] : most
    return { bytes: await bodyOf(response, limit, url, signal), isRange }
  } catch (error) {
    if (isAgentAppsError(error)) throw error
    const why = signal.aborted ? `there was no whole answer within ${timeoutMs} ms` : reasonOf(error)
    throw unavailable(url, why, error)
  }
}

function expectWhole({ status, type }: Response, url: string): void {
  if (status === 200) return
  if (status === 404 || status === 410) throw missing(url)
  const isRedirect = type === 'opaqueredirect' || (status >= 300 && status < 400)
  if (isRedirect) throw unavailable(url, 'the server answers with a redirect, which is not followed')
  const why = status === 403 ? ', as a private bucket does, and some do for a file that is missing' : ''
  throw unavailable(url, `the server answers with the status ${status}${why}`)
}

function isAsked({ headers }: Response, [start, end]: readonly [number, number]): boolean {
  return headers.get('content-range')?.startsWith(`bytes ${start}-${end - 1}/`) === true
}

/** Reads a body, and stops at the first byte too many. */
async function bodyOf(
  { body, headers }: Response,
  most: number,
  url: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const reader = body?.getReader()
  const refuse = (): never => {
    reader?.cancel().catch(() => {})
    throw tooLarge(url, most)
  }
  const isPlain = (headers.get('content-encoding') ?? 'identity') === 'identity'
  if (isPlain && Number(headers.get('content-length')) > most) refuse()
  const chunks: Uint8Array[] = []
  let length = 0
  while (reader) {
    const { done, value } = await inTime(reader.read(), signal)
    if (done) break
    length += value.length
    if (length > most) refuse()
    chunks.push(value)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/** Waits for work until a signal aborts, also for a given `fetch` that does not look at it. */
function inTime<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** The reason of a failed request, which is often in the cause of its error. */
function reasonOf(error: unknown): string {
  const { cause } = Object(error) as { cause?: unknown }
  return thrownText(cause ?? error)
}
