/**
 * URIs of the files of skills: `skill://<namespace>/<name>/SKILL.md`, without the namespace where a skill has none.
 */

import { isToolName } from 'agent-apps'

const SCHEME = 'skill://'

/** The URI of a file of a skill. */
export function skillUri(name: string, path = 'SKILL.md'): string {
  return `${rootUri(name)}/${path.split('/').map(segment).join('/')}`
}

/** The URI of a skill's folder. */
function rootUri(name: string): string {
  return SCHEME + name.split(':').map(segment).join('/')
}

/** The folders that a URI may lie in, the nearest skill first: its name, and the path in it. */
export function placesOf(uri: string): { name: string; path: string }[] {
  if (!uri.startsWith(SCHEME)) return []
  const parts = partsOf(uri.slice(SCHEME.length))
  if (parts === null) return []
  const [first = '', second = '', ...rest] = parts
  // Anything else is a reference of another kind, by which nothing is looked up here.
  if (!isToolName(first)) return []
  const bare = { name: first, path: [second, ...rest].join('/') }
  return isToolName(second) ? [{ name: `${first}:${second}`, path: rest.join('/') }, bare] : [bare]
}

/** Null where a part is none of a path. */
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

/** As WHATWG's URL writes it, so that every client finds the same file. */
function segment(text: string): string {
  if (text === '.' || text === '..') return text.replaceAll('.', '%2E')
  return text.replace(/[^\w!$&'()*+,.:;=@[\]|~-]/gu, encodeURIComponent)
}
