import { disk } from '#disk'
import type { DirectoryState } from '../state/directory-state.js'

/**
 * The path of a module that a directory's index names; null if it is missing, or is a link to code outside the
 * directory.
 */
export async function ownModule({ dir }: DirectoryState, file: string): Promise<string | null> {
  const path = disk.resolve(dir, file)
  return disk.stat(path) !== null && (await disk.realInside(dir, path)) ? path : null
}
