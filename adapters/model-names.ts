const NAME_MAX = 64

/**
 * Names that models accept, by tool name: at most 64 of the characters `a-zA-Z0-9_-`. `:` becomes `__`. A name that is still
 * invalid or taken gets 8 hex digits of its digest. The result does not depend on the order of names, so that every process
 * has the same.
 *
 * @param reserved names that are taken
 */
export async function modelNames(
  names: readonly string[],
  reserved: readonly string[],
): Promise<Map<string, string>> {
  const wanted = new Map(names.map(name => [name, name.replaceAll(':', '__')]))
  const counts = new Map<string, number>()
  for (const one of wanted.values()) counts.set(one, (counts.get(one) ?? 0) + 1)
  // A tool whose name needs no change keeps it.
  const own = new Set(names.filter(name => isModelName(name)))
  const taken = new Set([...reserved, ...own])
  const found = new Map<string, string>()
  for (const [name, one] of [...wanted].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const isFree = !reserved.includes(one) && (name === one || (counts.get(one) === 1 && !own.has(one)))
    found.set(name, isModelName(one) && isFree ? one : await withDigest(name, one, taken))
    taken.add(found.get(name) as string)
  }
  return found
}

/** True for a name that models accept. */
export function isModelName(name: string): boolean {
  return /^[a-zA-Z0-9_-]{1,64}$/.test(name)
}

/** A wanted name made valid and unique by digits of a digest: of `key`, so that every process makes the same. */
export async function withDigest(
  key: string,
  wanted: string,
  taken: ReadonlySet<string> = new Set(),
): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key)))
  const hex = [...digest].map(byte => byte.toString(16).padStart(2, '0')).join('')
  const allowed = wanted.replace(/[^a-zA-Z0-9_-]/g, '_')
  for (let digits = 8; ; digits += 8) {
    const made = `${allowed.slice(0, NAME_MAX - 1 - digits)}_${hex.slice(0, digits)}`
    // A tool may have been named like this on purpose.
    if (!taken.has(made) || digits >= 56) return made
  }
}
