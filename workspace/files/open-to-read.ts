import { readdir } from 'node:fs/promises'
import { posix } from 'node:path'
import { AgentAppsError, nearest } from 'agent-apps'
import { containsPrivateKey, KEY_BYTES } from '../../src/skill/secrets.js'
import { hold, inFolderOf, notFound, type OpenFile, openFile } from '../wall/open-place.js'
import type { Place } from '../wall/place.js'
import { expectReadable } from '../wall/protected-files.js'
import type { Workspace } from '../wall/workspace.js'

/**
 * Opens a file for reading, unless its name or its first bytes show that it is a secret.
 *
 * @throws FILE_NOT_FOUND, with similar paths; FILE_PROTECTED, FILE_UNUSABLE, PATH_OUTSIDE
 */
export async function openToRead(place: Place, workspace: Workspace): Promise<OpenFile> {
  expectReadable(workspace.protected, place)
  if (!place.exists) throw notFound(place, await nearPaths(place, workspace))
  const file = await inFolderOf(place, item => openFile(item, place))
  try {
    await refuseKey(file, place)
    return file
  } catch (error) {
    await file.handle.close()
    throw error
  }
}

async function refuseKey({ handle }: OpenFile, place: Place): Promise<void> {
  const start = Buffer.alloc(KEY_BYTES)
  await handle.read(start, 0, KEY_BYTES, 0)
  if (!containsPrivateKey(start)) return
  throw new AgentAppsError('FILE_PROTECTED', `${place.path} may not be read: it holds a private key.`, {
    hint: 'Leave it to a person.',
    file: place.path,
  })
}

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
