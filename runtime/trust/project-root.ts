import { disk } from '#disk'
import { searchDirectories } from '../../src/skill/path-entry.js'
import type { Globals, RuntimeConfig } from '../state/context.js'
import type { ProjectConfiguration } from '../state/policy.js'

/** The folder of the project that must be trusted: that of its configuration, else the one that all of its paths share. */
export function projectRoot({ config: { cwd = disk.cwd(), paths, projects, isProjects } }: Globals): string {
  if (projects) return projects.root
  const folders = searchDirectories(paths)
    .filter(({ trust }) => isProjects || trust === 'ask')
    .map(({ dir }) => disk.resolve(cwd, dir))
  const [first = cwd, ...others] = folders
  const isAbove = (folder: string): boolean =>
    others.every(other => other === folder || disk.inside(folder, other) !== null)
  let root = first
  while (!isAbove(root) && disk.resolve(root, '..') !== root) root = disk.resolve(root, '..')
  return root
}

/** The part of the project's configuration that counts only once the project is trusted. */
export function askedConfiguration({ projects, isOwn }: RuntimeConfig): Omit<ProjectConfiguration, 'root'> {
  const { root: _, ...configuration } = (!isOwn && projects) || { root: '' }
  return configuration
}
