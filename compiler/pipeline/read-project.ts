import { relative, resolve } from 'node:path'
import { AgentAppsError } from '../../src/base/error.js'
import { type SearchDirectory, searchDirectories } from '../../src/skill/path-entry.js'
import { LIBRARY_DIRECTORY } from '../files/package-place.js'
import { ignoreMatcher } from '../project/ignore-matcher.js'
import { type Project, type ProjectOptions, statOf } from '../project/project.js'
import { type Config, configuringPaths, loadConfig, withAbsoluteDirectory } from './load-config.js'
import { othersReader } from './read-others.js'

/**
 * * The directories of a project, in search order.
 *
 * @param evaluate whether a configuration that is code is run; false for all that only looks
 * @param onPath called with each file and directory, absolute, that decides which they are, before it is
 * looked at
 * @throws DIRECTORY_NOT_FOUND, NO_SKILL_PATHS, and what reading the configuration throws
 */
export async function readProject(
  { paths, cwd = process.cwd(), config, external }: ProjectOptions,
  evaluate: boolean,
  onPath: (path: string) => void = () => {},
): Promise<Project> {
  const base = resolve(cwd)
  if (!paths) for (const path of configuringPaths(base, config)) onPath(path)
  const loaded = paths
    ? { paths: paths.map(entry => withAbsoluteDirectory(entry, base)), config: {} as Config }
    : await loadConfig({ cwd: base, evaluate, ...(config !== undefined && { config }) })
  const externalPackages = [...new Set(external ?? loaded.config.external)].sort()
  const searched = searchDirectories(loaded.paths)
  const isOwn = ({ external, layer }: SearchDirectory): boolean => !external && layer === 'project'
  const own = searched.filter(isOwn)
  if (own.length === 0) {
    throw new AgentAppsError('NO_SKILL_PATHS', `No skill directory is configured or found in ${base}.`, {
      hint: 'Name one, put skills into ./skills, or run `agent-apps init`.',
    })
  }
  for (const { dir } of own) onPath(dir)
  const directories = own.map(directory => {
    const stat = statOf(directory.dir)
    if (stat !== 'refused' && stat?.isDirectory() !== true)
      throw notDirectory(directory.dir, stat !== undefined)
    const shown = relative(base, directory.dir).replaceAll('\\', '/')
    return { ...directory, shown, isIgnored: ignoreMatcher(directory.ignore), externalPackages }
  })
  const library = loaded.config.library === false ? null : LIBRARY_DIRECTORY
  const others = searched.filter(directory => !isOwn(directory))
  const { env = [], keep } = loaded.config
  return {
    directories,
    others,
    readOthers: othersReader(others),
    library,
    cwd: base,
    paths: loaded.paths,
    searched,
    env,
    keep,
  }
}

function notDirectory(path: string, isThere: boolean): AgentAppsError {
  const [message, hint] = isThere
    ? [`${path} is a file, and no directory.`, 'Name the directory that it lies in.']
    : [`There is no directory ${path}.`, 'Correct the path, or create the directory.']
  return new AgentAppsError('DIRECTORY_NOT_FOUND', message, { hint, file: path })
}
