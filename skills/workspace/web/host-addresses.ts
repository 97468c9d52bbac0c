import { lookup } from 'node:dns/promises'
import { AgentAppsError } from 'agent-apps'
import ipaddr from 'ipaddr.js'

export interface HostAddress {
  address: string
  family: number
}

/** All addresses of a name. */
export type ResolveName = (name: string) => Promise<HostAddress[]>

const resolveName: ResolveName = name => lookup(name, { all: true })

/**
 * The addresses to connect to for a URL, looked up once.
 *
 * @param allow hosts that may have a private address: `host`, `host:port` or `*.domain`
 * @throws FETCH_REFUSED if an address is not public; FETCH_FAILED if there is none
 */
export async function hostAddresses(
  url: URL,
  allow: readonly string[] = [],
  resolve: ResolveName = resolveName,
): Promise<HostAddress[]> {
  const literal = literalAddress(url)
  const addresses =
    literal === null
      ? await resolve(url.hostname).catch(error => notFound(url, error))
      : [{ address: literal, family: literal.includes(':') ? 6 : 4 }]
  const [first] = addresses
  if (first === undefined) return notFound(url)
  const refused = addresses.find(({ address }) => !isPublicAddress(address))
  if (refused === undefined || isAllowed(url, allow)) return addresses
  const which = literal === null ? `its address ${refused.address}` : 'it'
  throw new AgentAppsError('FETCH_REFUSED', `${url.host} is not fetched: ${which} is not a public address.`, {
    hint: 'The host can allow it by `config.tools.webfetch.allow`.',
    modelHint: 'Fetch a page with a public address.',
    tool: 'webfetch',
  })
}

function notFound({ hostname }: URL, cause?: unknown): never {
  throw new AgentAppsError('FETCH_FAILED', `There is no host ${JSON.stringify(hostname)}.`, {
    hint: 'Check the spelling of the URL.',
    tool: 'webfetch',
    cause,
  })
}

function isAllowed({ hostname, port, protocol }: URL, allow: readonly string[]): boolean {
  const host = hostname.replace(/\.$/, '')
  const withPort = `${host}:${port || (protocol === 'https:' ? 443 : 80)}`
  return allow.some(entry => {
    const lower = entry.toLowerCase()
    return lower.startsWith('*.') ? host.endsWith(lower.slice(1)) : lower === host || lower === withPort
  })
}

/** Public addresses of services that clouds offer to their machines. */
const OF_CLOUDS = ['168.63.129.16']

/** The prefix for IPv4 addresses behind a translator (NAT64). */
const TRANSLATED = ipaddr.parseCIDR('64:ff9b::/96') as [ipaddr.IPv6, number]

/**
 * True for an address of the public internet: not for this machine, private networks, multicast, a cloud's own services, or
 * ranges that are reserved or wrap other addresses.
 *
 * @param text an address of a resolver or URL
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  if (address instanceof ipaddr.IPv4)
    return address.range() === 'unicast' && !OF_CLOUDS.includes(address.toString())
  if (address.match(TRANSLATED)) return isPublicAddress(address.toByteArray().slice(-4).join('.'))
  // Only 2000::/3 is allocated; unknown ranges count as reserved.
  const isGivenOut = ((address.parts[0] ?? 0) & 0xe000) === 0x2000
  return isGivenOut && address.range() === 'unicast'
}

/** A URL's host without brackets if it is an address; null for a name. */
function literalAddress({ hostname }: URL): string | null {
  const host = hostname.replace(/^\[|\]$/g, '')
  return ipaddr.isValid(host) ? host : null
}
