import { join } from 'node:path'
import { addTool, type ToolsByFile } from '../../records/tools-by-file.js'
import { filesOf, type SearchedIndex } from './bundle-directory.js'

/** A name that a file gives to its directory. */
export interface GivenName {
  name: string
  directory: SearchedIndex
}

/**
 * The names that the files of compiled directories give, in each file's order: a path without a fragment means the first, be that
 * kept in a bundle or not.
 */
export function bundledFiles(directories: readonly SearchedIndex[]): ToolsByFile<GivenName> {
  const files: ToolsByFile<GivenName> = new Map()
  for (const directory of directories)
    for (const [path, { tools }] of filesOf(directory))
      for (const name of tools) addTool(files, join(directory.dir, path), { name, directory })
  return files
}
