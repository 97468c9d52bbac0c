import { statSync } from 'node:fs'
import { parser } from '../disk/disk.js'
import type { OtherDirectory, Project } from '../project/project.js'

/**
 * Reads other people's directories from their files, once. A missing directory has no names, as for a
 * runtime.
 */
export function othersReader(others: Project['others']): Project['readOthers'] {
  let reading: Promise<OtherDirectory[]> | undefined
  return () => {
    reading ??= Promise.all(
      others.filter(isThere).map(async entry => {
        const { dir, layer } = entry
        return { dir, layer, names: await parser.readDirectory(entry) }
      }),
    )
    return reading
  }
}

function isThere({ dir }: { dir: string }): boolean {
  return statSync(dir, { throwIfNoEntry: false })?.isDirectory() === true
}
