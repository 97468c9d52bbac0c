import { statSync } from 'node:fs'
import type { DirectoryNames } from '../src/directory-names.js'
import { parser } from './disk.js'
import type { Project } from './project.js'

/** A directory that a project searches besides its own. */
export interface OtherDirectory {
  dir: string
  layer: string
  names: DirectoryNames
}

/** Reads somebody else's directories from their files. As to a runtime, one that is not there has no names. */
export function readOthers({ others }: Project): Promise<OtherDirectory[]> {
  return Promise.all(
    others.filter(isThere).map(async ({ dir, ignore, layer }) => {
      return { dir, layer, names: await parser.readDirectory(dir, ignore) }
    }),
  )
}

function isThere({ dir }: { dir: string }): boolean {
  return statSync(dir, { throwIfNoEntry: false })?.isDirectory() === true
}
