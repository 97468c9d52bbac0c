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

/** Reads somebody else's directories from their files, once. As to a runtime, one that is not there has no names. */
export function othersReader(others: Project['others']): Project['readOthers'] {
  let reading: Promise<OtherDirectory[]> | undefined
  return () => {
    reading ??= Promise.all(
      others.filter(isThere).map(async ({ dir, ignore, layer }) => {
        return { dir, layer, names: await parser.readDirectory(dir, ignore) }
      }),
    )
    return reading
  }
}

function isThere({ dir }: { dir: string }): boolean {
  return statSync(dir, { throwIfNoEntry: false })?.isDirectory() === true
}
