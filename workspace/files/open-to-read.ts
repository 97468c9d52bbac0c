import { AgentAppsError } from 'agent-apps'
import { containsPrivateKey, KEY_BYTES } from '../../src/skill/secrets.js'
import { inFolderOf, notFound, type OpenFile, openFile } from '../wall/open-place.js'
import type { Place } from '../wall/place.js'
import { expectReadable } from '../wall/protected-files.js'
import type { Workspace } from '../wall/workspace.js'
import { nearPaths } from './near-paths.js'

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
