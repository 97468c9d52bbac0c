/** A pin is this before the digest of a release's header. */
const PIN = /^sha256-([0-9a-f]{64})$/

/** The digest in a pin; null for anything else. */
export function pinnedDigest(pin: unknown): string | null {
  return (typeof pin === 'string' && PIN.exec(pin)?.[1]) || null
}
