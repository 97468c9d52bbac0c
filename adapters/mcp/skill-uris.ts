import { isToolName } from 'agent-apps'

const SCHEME = 'skill://'

/** The URI of a skill's file: `skill://<namespace>/<name>/SKILL.md`, without the namespace if it has none. */
export function skillUri(name: string, path = 'SKILL.md'): string {
  return SCHEME + [...name.split(':'), ...path.split('/')].map(segment).join('/')
}

/** The skills, nearest first, whose files a URI may name, each with the path in its folder. */
export function placesOf(uri: string): { name: string; path: string }[] {
  if (!uri.startsWith(SCHEME)) return []
  const parts = partsOf(uri.slice(SCHEME.length))
  if (parts === null) return []
  const [first = '', second = '', ...rest] = parts
  // Anything else would be another kind of reference.
  if (!isToolName(first)) return []
  const bare = { name: first, path: [second, ...rest].join('/') }
  return isToolName(second) ? [{ name: `${first}:${second}`, path: rest.join('/') }, bare] : [bare]
}

/** The decoded parts of a path; null if one is invalid. */
function partsOf(path: string): string[] | null {
  try {
    const parts = path.replace(/\/$/, '').split('/').map(decodeURIComponent)
    return parts.every(part => part !== '' && part !== '.' && part !== '..' && !/[/\0]/.test(part))
      ? parts
      : null
  } catch {
    return null
  }
}

/** Encodes a segment as WHATWG's URL does, so that every client finds the same file. */
function segment(text: string): string {
  if (text === '.' || text === '..') return text.replaceAll('.', '%2E')
  return text.replace(/[^\w!$&'()*+,.:;=@[\]|~-]/gu, encodeURIComponent)
}
