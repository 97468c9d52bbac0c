import { dirname, isAbsolute, relative } from 'node:path'
import { encodeProject } from '../../src/index/project-file.js'
import { iterPaths, type PathEntry, placePaths } from '../../src/skill/path-entry.js'
import type { ProjectText } from '../project/project.js'
import { absoluteDirectory, type LoadedConfig } from './load-config.js'

/**
 * The project file of a configuration.
 *
 * @param cwd absolute; the project's folder where there is no configuration
 * @param external the packages that are not bundled, which may be given otherwise than configured
 */
export function projectText(loaded: LoadedConfig, cwd: string, external: readonly string[]): ProjectText {
  const folder = loaded.file === null ? cwd : dirname(loaded.file)
  const { freshness, library, env, policy, agents } = loaded.config
  const text = encodeProject({
    paths: portablePaths(loaded, folder),
    ...(freshness !== undefined && { freshness }),
    ...(library !== undefined && { library }),
    ...(external.length > 0 && { external }),
    ...(env !== undefined && { env }),
    ...(policy !== undefined && { policy }),
    ...(agents !== undefined && { agents }),
  })
  return { dir: folder, shown: relative(cwd, folder).replaceAll('\\', '/'), text }
}

/** Path entries that hold wherever the folder is: absolute directories are only those configured as such. */
function portablePaths({ config, paths }: LoadedConfig, folder: string): PathEntry[] {
  const fixed = [...iterPaths(config.paths ?? [])].map(({ dir }) => dir).filter(isFixed)
  return placePaths(
    paths.map(entry => (typeof entry === 'string' ? { dir: entry } : entry)),
    dir =>
      fixed.find(one => absoluteDirectory(one, folder) === dir) ??
      (relative(folder, dir).replaceAll('\\', '/') || '.'),
  )
}

function isFixed(directory: string): boolean {
  return isAbsolute(directory) || /^~(?:\/|$)/.test(directory)
}
