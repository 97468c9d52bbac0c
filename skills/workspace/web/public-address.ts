import ipaddr from 'ipaddr.js'

/** Public addresses at which a cloud answers its own machines. */
const OF_CLOUDS = ['168.63.129.16']

/** An IPv4 address behind this prefix is reached through a translator. */
const TRANSLATED = ipaddr.parseCIDR('64:ff9b::/96') as [ipaddr.IPv6, number]

/**
 * True for an address of the public internet: not for this machine, a private network, a group of machines, a
 * cloud's own service or a range that is reserved or that wraps another address.
 *
 * @param text an address as the system's resolver or a URL has it
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  if (address instanceof ipaddr.IPv4)
    return address.range() === 'unicast' && !OF_CLOUDS.includes(address.toString())
  if (address.match(TRANSLATED)) return isPublicAddress(address.toByteArray().slice(-4).join('.'))
  // Only these are given out; a range that is new to the list of ranges counts as reserved.
  const isGivenOut = ((address.parts[0] ?? 0) & 0xe000) === 0x2000
  return isGivenOut && address.range() === 'unicast'
}

/** The address that a URL's host is, without brackets; null for a name. */
export function literalAddress({ hostname }: URL): string | null {
  const host = hostname.replace(/^\[|\]$/g, '')
  return ipaddr.isValid(host) ? host : null
}
