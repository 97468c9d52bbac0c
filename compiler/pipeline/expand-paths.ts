import { basename, dirname, join, sep } from 'node:path'
import type { Diagnostic } from '../../src/base/diagnostic.js'
import { isIgnoreEntry, type PathEntry, pathEntryDir } from '../../src/skill/path-entry.js'
import { discoverPlugins } from '../1-read/discover/discover-plugins.js'
import { emptyDiscovery } from '../1-read/discover/discovery.js'
import { isDirectory, peekDirectory, realPath } from '../1-read/walk/look.js'
import { toDiagnostic } from '../diagnostics/diagnostics.js'
import { ignoreMatcher } from '../project/ignore-matcher.js'
import { statOf } from '../project/project.js'

/** Path entries without globs. */
export interface ExpandedPaths {
  paths: PathEntry[]
  /** The faults of manifests for which directories that a glob matches are left out. `file` is absolute. */
  faults: Diagnostic[]
}

/**
 * The path entries, with each glob replaced by an entry for every directory that it matches, in code-point order.
 * A glob that matches none stays as it is. A directory called `skills` that is found so has the namespace of the
 * plugin that it is in; where a manifest has an error and names none, it is left out, as its skills never load
 * without their namespace.
 *
 * @param paths with absolute directories
 * @param onPath called with each directory in which something new could match, and each manifest
 */
export function expandPaths(
  paths: readonly PathEntry[],
  onPath: (path: string) => void = () => {},
): ExpandedPaths {
  const faults: Diagnostic[] = []
  const expanded = paths.flatMap((entry): PathEntry[] => {
    const glob = isIgnoreEntry(entry) ? '' : pathEntryDir(entry)
    if (isIgnoreEntry(entry) || !/[*?[{]/.test(glob) || statOf(glob) !== undefined) return [entry]
    const found = directoriesOf(glob, onPath)
    if (found.length === 0) return [entry]
    return found.flatMap(dir => {
      const given = typeof entry === 'string' ? {} : entry
      const plugin = pluginAround(dir, onPath)
      faults.push(...plugin.faults)
      if (plugin.faults.length > 0 && plugin.namespace === undefined) return []
      return { ...(plugin.namespace !== undefined && { namespace: plugin.namespace }), ...given, dir }
    })
  })
  return { paths: expanded, faults }
}

/** The directories that a glob matches, one part of the path after the other. */
function directoriesOf(glob: string, onDirectory: (directory: string) => void): string[] {
  let found = ['']
  for (const part of glob.split(/[\\/]/)) {
    if (!/[*?[{]/.test(part)) {
      found = found.map(directory => (directory === '' && part !== '' ? part : `${directory}${sep}${part}`))
      continue
    }
    const matches = ignoreMatcher([part])
    const isMatch = (name: string): boolean =>
      matches(name) && name !== 'node_modules' && (!name.startsWith('.') || part.startsWith('.'))
    found = found.flatMap(directory => {
      onDirectory(directory)
      const names = peekDirectory(directory).map(({ name }) => name)
      return names.filter(isMatch).map(name => join(directory, name))
    })
  }
  return found.filter(isDirectory)
}

/** The namespace of the plugin whose `skills` a directory is, or the errors of its manifests; nothing for other directories. */
function pluginAround(
  directory: string,
  onPath: (path: string) => void,
): { namespace?: string | undefined; faults: Diagnostic[] } {
  if (basename(directory) !== 'skills') return { faults: [] }
  const folder = dirname(directory)
  const discovery = emptyDiscovery()
  discoverPlugins({ root: folder, folder: '', real: realPath(folder) }, discovery)
  const { units, findings, manifests } = discovery
  for (const { path } of [...manifests, ...findings]) onPath(join(folder, path))
  const faults = findings
    .map(({ path, finding }) => toDiagnostic(join(folder, path), finding))
    .filter(({ severity }) => severity === 'error')
  const unit = units.find(({ places }) => places.some(({ path }) => path === 'skills' || path === ''))
  return { namespace: unit?.namespace, faults }
}
