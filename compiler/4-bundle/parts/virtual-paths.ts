import { basename, dirname, relative, resolve } from 'node:path'
import type { SearchDirectory } from '../../../src/skill/path-entry.js'

/** Where directories lie in a bundle. */
export interface VirtualPaths {
  cwd: string
  /** The place of a directory, by its absolute path. */
  placeOf: (dir: string) => string
}

/**
 * Gives the directories of a project places that lie to each other as they do on disk, so that paths between them mean the
 * same, and say nothing of where the project lies. Others' directories outside of it are numbered.
 */
export function virtualPaths(cwd: string, searched: readonly SearchDirectory[]): VirtualPaths {
  const own = searched.filter(({ external, layer }) => !external && layer === 'project')
  const root = own.reduce((top, { dir }) => commonFolder(top, dir), resolve(cwd))
  const below = (path: string): string | null => {
    const way = relative(root, path).replaceAll('\\', '/')
    return way === '..' || way.startsWith('../') || /^[A-Za-z]:/.test(way) ? null : `/${way}`
  }
  const outside = [...new Set(searched.map(({ dir }) => dir).filter(dir => below(dir) === null))]
  return {
    cwd: below(resolve(cwd)) ?? '/',
    placeOf: dir => below(dir) ?? `/.elsewhere/${outside.indexOf(dir)}/${basename(dir)}`,
  }
}

function commonFolder(a: string, b: string): string {
  const way = relative(a, b)
  return way === '..' || way.startsWith('../') || way.startsWith('..\\') ? commonFolder(dirname(a), b) : a
}
