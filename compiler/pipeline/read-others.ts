import { statSync } from 'node:fs'
import type { OtherDirectory, Project } from '../project/project.js'

/**
 * Reads other people's directories from their files, once. A missing directory has no names, as for a
 * runtime.
 */
export function othersReader(others: Project['others']): Project['readOthers'] {
  let reading: Promise<OtherDirectory[]> | undefined
  return () => {
    reading ??= readAll(others.filter(isThere))
    return reading
  }
}

async function readAll(others: Project['others']): Promise<OtherDirectory[]> {
  if (others.length === 0) return []
  const { parser } = await import('../disk/disk.js')
  return Promise.all(
    others.map(async entry => {
      const { dir, layer } = entry
      return { dir, layer, names: await parser.readDirectory(entry) }
    }),
  )
}

function isThere({ dir }: { dir: string }): boolean {
  return statSync(dir, { throwIfNoEntry: false })?.isDirectory() === true
}
