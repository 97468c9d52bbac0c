import { lstat } from 'node:fs/promises'
import { nearPaths } from '../../../workspace/files/open-to-read.js'
import { inFolderOf, notFile, notFound } from '../../../workspace/wall/open-place.js'
import { type Place, placeOf } from '../../../workspace/wall/place.js'
import { expectReadable } from '../../../workspace/wall/protected-files.js'
import type { Workspace } from '../../../workspace/wall/workspace.js'

/**
 * Finds the folder where a walk starts.
 *
 * @throws FILE_NOT_FOUND, FILE_UNUSABLE, FILE_PROTECTED, PATH_OUTSIDE
 */
export async function startFolder(path: string, workspace: Workspace): Promise<Place> {
  const place = await startPlace(path, workspace)
  if (!(await isFolder(place))) throw notFile(place, 'is not a folder')
  return place
}

/** Finds an existing, readable folder or file. */
export async function startPlace(
  path: string,
  workspace: Workspace,
  more: readonly string[] = [],
): Promise<Place> {
  const place = await placeOf(path, workspace, more)
  expectReadable(workspace.protected, place)
  if (!place.exists) throw notFound(place, await nearPaths(place, workspace))
  return place
}

export async function isFolder(place: Place): Promise<boolean> {
  if (place.segments.length === 0) return true
  return inFolderOf(place, async item => (await lstat(item)).isDirectory())
}
