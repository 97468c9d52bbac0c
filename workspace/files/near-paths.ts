import { readdir } from 'node:fs/promises'
import { posix } from 'node:path'
import { nearest } from 'agent-apps'
import { hold } from '../wall/open-place.js'
import type { Place } from '../wall/place.js'
import type { Workspace } from '../wall/workspace.js'

/** The most names of a folder that are compared. */
const NAMES_MAX = 2000

/** Paths beside a missing file that may be meant: with a similar name or another extension. */
export async function nearPaths(place: Place, { protected: files }: Workspace): Promise<string[]> {
  const name = place.segments.at(-1) ?? ''
  const names = await namesBeside(place)
  const readable = names
    .slice(0, NAMES_MAX)
    .filter(one => files.reading({ segments: [...place.segments.slice(0, -1), one], written: null }) === null)
  const stem = stemOf(name)
  const alike = readable.filter(one => stemOf(one) === stem && one !== name)
  const near = nearest(name, readable)
  const found = [...new Set([...(near === null ? [] : [near]), ...alike])].slice(0, 3)
  return found.map(one => posix.join(posix.dirname(place.path), one))
}

function stemOf(name: string): string {
  return name.toLowerCase().replace(/\.[^.]*$/, '')
}

/** The names in the folder of a place; empty if it cannot be listed. */
async function namesBeside(place: Place): Promise<string[]> {
  try {
    const held = await hold(place, place.segments.slice(0, -1))
    try {
      return (await readdir(`${held.at}/.`)).sort()
    } finally {
      await held.close()
    }
  } catch {
    // Only a hint depends on them.
    return []
  }
}
