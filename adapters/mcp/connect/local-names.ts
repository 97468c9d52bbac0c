/** A tool or skill of a server. */
interface Named {
  src: string
  name: string
  skill?: unknown
}

const NAME_MAX = 64

/**
 * The names that a server's tools have here, by their URIs: `mcp__<server>__<tool>`, as other hosts have them. One that
 * models do not accept, or that two would have, gets digits of its digest: the same in every process.
 */
export async function localNames(
  server: string,
  tools: readonly Named[],
  own: Readonly<Record<string, string>>,
): Promise<Map<string, string>> {
  const wanted = tools.map(({ src, name, skill }) => {
    const given = !skill && Object.hasOwn(own, name) ? own[name] : undefined
    return { src, name: given ?? `mcp__${server}__${skill ? 'skill__' : ''}${name}` }
  })
  const counts = new Map<string, number>()
  for (const { name } of wanted) counts.set(name, (counts.get(name) ?? 0) + 1)
  const found = new Map<string, string>()
  for (const { src, name } of wanted) {
    const isFine = /^[a-zA-Z0-9_-]+$/.test(name) && name.length <= NAME_MAX && counts.get(name) === 1
    found.set(src, isFine ? name : await withDigest(src, name))
  }
  return found
}

async function withDigest(src: string, name: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(src))
  const digits = Buffer.from(digest).toString('hex').slice(0, 8)
  return `${name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, NAME_MAX - 9)}_${digits}`
}
