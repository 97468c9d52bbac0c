import { isJsonObject } from '../base/json.js'
import { nearest } from '../base/nearest.js'
import { namespaceProblem } from '../skill/namespaces.js'
import { pinnedDigest } from './pin.js'

/** Fetches like the global function. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** A release of skills on a server, which `agent-apps publish` wrote. */
export interface RemoteEntry {
  /** The folder of the release: `https:`, or `http:` on this machine. No user, query or fragment. */
  url: string
  /** The pin that `publish` printed: `sha256-` and 64 hexadecimal digits. It stands for one release, whole. */
  integrity: string
  /** The namespace that it was published with. Default: not compared. */
  namespace?: string
  /** Fetches instead of the global function, through a proxy or from a private bucket. */
  fetch?: Fetch
  /** The time limit of one answer, whole, in milliseconds. Default: 30,000. */
  timeoutMs?: number
  /**
   * A folder in which what was fetched is kept for other processes, absolute or from the working directory. Default: it is
   * kept in memory alone.
   */
  cacheDirectory?: string
}

/** True for a path entry that is meant to be remote. */
export function isRemoteEntry(entry: unknown): entry is RemoteEntry {
  return isJsonObject(entry) && 'url' in entry
}

const KEYS = ['url', 'integrity', 'namespace', 'fetch', 'timeoutMs', 'cacheDirectory']

/** Why a remote entry cannot be used, as the end of a sentence, with advice; null if it can. */
export function remoteEntryProblem(entry: RemoteEntry): { problem: string; hint: string } | null {
  const { url, integrity, namespace, fetch, timeoutMs = 1, cacheDirectory = '.' } = entry
  const unknown = Object.keys(entry).find(key => !KEYS.includes(key))
  if (unknown !== undefined) {
    const near = nearest(unknown, KEYS)
    const hint = near === null ? `Its keys are ${KEYS.join(', ')}.` : `Did you mean \`${near}\`?`
    return { problem: `has a key \`${unknown}\``, hint }
  }
  const wrong = urlProblem(url)
  if (wrong !== null)
    return {
      problem: `has the \`url\` ${shown(url)}, which ${wrong}`,
      hint: "Write `url: 'https://skills.example.com/'`.",
    }
  if (pinnedDigest(integrity) === null)
    return {
      problem: `has ${integrity === undefined ? 'no `integrity`' : `the \`integrity\` ${shown(integrity)}, which is not a pin`}`,
      hint: 'Give what `agent-apps publish` printed: `sha256-` and 64 hexadecimal digits.',
    }
  if (namespace !== undefined && (typeof namespace !== 'string' || namespaceProblem(namespace) !== null))
    return {
      problem: `has the \`namespace\` ${shown(namespace)}`,
      hint: 'Give that of the path entry that was published.',
    }
  if (fetch !== undefined && typeof fetch !== 'function')
    return {
      problem: 'has a `fetch` that is not a function',
      hint: 'Give a function that fetches like the global one.',
    }
  if (typeof cacheDirectory !== 'string' || cacheDirectory === '')
    return { problem: 'has a `cacheDirectory` that is not a path', hint: 'Give the path of a folder.' }
  if (typeof timeoutMs !== 'number' || !(timeoutMs > 0) || timeoutMs > 2 ** 31 - 1)
    return { problem: `has the \`timeoutMs\` ${shown(timeoutMs)}`, hint: 'Give milliseconds, from 1.' }
  return null
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Why a URL cannot be that of a release, as the end of a sentence; null if it can. */
function urlProblem(text: unknown): string | null {
  if (typeof text !== 'string' || !URL.canParse(text)) return 'is not a URL'
  const { protocol, hostname, username, password } = new URL(text)
  if (protocol !== 'https:' && !(protocol === 'http:' && LOOPBACK.test(hostname)))
    return 'is not `https:`, which only an address of this machine may lack'
  if (username !== '' || password !== '') return 'has a user or a password'
  return /[?#]/.test(text) ? 'has a query or a fragment' : null
}

/** The URL of the folder of a release, with a slash at its end. */
export function releaseUrl({ url }: RemoteEntry): string {
  const { href } = new URL(url)
  return href.endsWith('/') ? href : `${href}/`
}

/** A value as a message shows it. A URL may hold a password. */
function shown(value: unknown): string {
  return (JSON.stringify(value) ?? typeof value).slice(0, 100).replace(/\/\/[^/@"]*@/, '//…@')
}
