const NAME_MAX = 64

/**
 * Names that models accept, by the tools' names: at most 64 of the characters `a-zA-Z0-9_-`. `:` becomes `__`. A
 * name that is still none, or that another tool has, gets 8 hex digits of its digest. That depends on which
 * names there are and not on their order, so that it is the same in every process.
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
  // A name that needs no change is its tool's, whoever else would like it.
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

/** True for what models accept as a name. */
export function isModelName(name: string): boolean {
  return /^[a-zA-Z0-9_-]{1,64}$/.test(name)
}

async function withDigest(name: string, wanted: string, taken: ReadonlySet<string>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(name)))
  const hex = [...digest].map(byte => byte.toString(16).padStart(2, '0')).join('')
  const allowed = wanted.replace(/[^a-zA-Z0-9_-]/g, '_')
  for (let digits = 8; ; digits += 8) {
    const made = `${allowed.slice(0, NAME_MAX - 1 - digits)}_${hex.slice(0, digits)}`
    // Somebody may have named a tool like this on purpose.
    if (!taken.has(made) || digits >= 56) return made
  }
}
