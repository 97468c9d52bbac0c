import { basename, dirname, join, sep } from 'node:path'
import type { Diagnostic } from '../../src/base/diagnostic.js'
import { isIgnoreEntry, type PathEntry, pathEntryDir } from '../../src/skill/path-entry.js'
import { isDirectory, peekDirectory, realPath } from '../1-read/walk/look.js'
import { toDiagnostic } from '../diagnostics/diagnostics.js'
import { ignoreMatcher } from '../project/ignore-matcher.js'
import { statOf } from '../project/project.js'

export interface ExpandedPaths {
  paths: PathEntry[]
  /** The faults of manifests for which directories that a glob matches are left out. `file` is absolute. */
  faults: Diagnostic[]
}

/**
 * The path entries, with each glob replaced by an entry for every directory that it matches, in code-point order.
 * A glob without a match is unchanged. A directory called `skills` that a glob finds has the namespace of the
 * plugin that it is in; where a manifest has an error and names none, it is left out, as its skills never load
 * without their namespace.
 *
 * @param paths with absolute directories
 * @param onPath called with each directory in which something new could match, and each manifest
 */
export async function expandPaths(
  paths: readonly PathEntry[],
  onPath: (path: string) => void = () => {},
): Promise<ExpandedPaths> {
  const expanded: PathEntry[] = []
  const faults: Diagnostic[] = []
  for (const entry of paths) {
    const glob = isIgnoreEntry(entry) ? '' : pathEntryDir(entry)
    const isGlob = !isIgnoreEntry(entry) && /[*?[{]/.test(glob) && statOf(glob) === undefined
    const found = isGlob ? directoriesOf(glob, onPath) : []
    if (found.length === 0) expanded.push(entry)
    for (const dir of found) {
      const given = typeof entry === 'string' ? {} : entry
      const plugin = await pluginAround(dir, onPath)
      faults.push(...plugin.faults)
      if (plugin.faults.length > 0 && plugin.namespace === undefined) continue
      expanded.push({ ...(plugin.namespace !== undefined && { namespace: plugin.namespace }), ...given, dir })
    }
  }
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
async function pluginAround(
  directory: string,
  onPath: (path: string) => void,
): Promise<{ namespace?: string | undefined; faults: Diagnostic[] }> {
  if (basename(directory) !== 'skills') return { faults: [] }
  // On demand: discovery loads the walk, which a list from an index does not need.
  const { discoverPlugins } = await import('../1-read/discover/discover-plugins.js')
  const { emptyDiscovery } = await import('../1-read/discover/discovery.js')
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
