import { type Stats, statSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { AgentAppsError } from '../src/error.js'
import { type PathEntry, type SearchDirectory, searchDirectories } from '../src/path-entry.js'
import { isRefusal } from '../src/refusal.js'
import { ignoreMatcher } from './ignore-matcher.js'
import { type Config, configuringPaths, loadConfig, withAbsoluteDirectory } from './load-config.js'
import { LIBRARY_DIRECTORY } from './package-place.js'
import { type OtherDirectory, othersReader } from './read-others.js'

export interface ProjectOptions {
  /** Path entries; default: the configuration's. */
  paths?: readonly PathEntry[] | undefined
  /** The directory that relative paths start from and that shown paths are relative to. Default: the process's. */
  cwd?: string | undefined
  /** A configuration file to use where `paths` is absent. */
  config?: string | undefined
  /** npm packages that are not bundled with skills' code; default: the configuration's, where `paths` is absent. */
  external?: readonly string[] | undefined
}

/** A directory of the project's own, ready to be compiled. */
export interface ProjectDirectory extends SearchDirectory {
  /** Its path from `cwd`, `/`-separated, as it is shown; empty for `cwd` itself. */
  shown: string
  isIgnored: (path: string) => boolean
  /** npm packages that are not bundled with its code, sorted. */
  externalPackages: string[]
}

/** A project's directories, and those that it searches besides. */
export interface Project {
  /** Those that compiling is about, in search order. */
  directories: ProjectDirectory[]
  /** Somebody else's: external ones, other layers'. */
  others: Pick<SearchDirectory, 'dir' | 'ignore' | 'layer'>[]
  /** Their names. They are read when somebody first asks, for all who ask. */
  readOthers: () => Promise<OtherDirectory[]>
  /** The directory of the skills that the package ships; null where they are not searched. */
  library: string | null
  /** What relative paths start from, absolute. */
  cwd: string
  /** The path entries, with absolute directories. */
  paths: PathEntry[]
  /** Every directory of theirs, in search order. */
  searched: SearchDirectory[]
  /** Variables of the environment that metadata and content may name. */
  env: readonly string[]
  /** Patterns of the tools that a bundle keeps, where it is not told others; undefined: all. */
  keep: readonly string[] | undefined
}

/**
 * The directories of a project, in search order.
 *
 * @param evaluate whether a configuration that is code is run; false for all that only looks
 * @param onPath called with each file and directory, absolute, that decides which they are, before it is looked at
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

/** What nobody may look at may well be a directory: whoever reads it says so. */
function statOf(path: string): Stats | 'refused' | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (isRefusal(error)) return 'refused'
    throw error
  }
}

function notDirectory(path: string, isThere: boolean): AgentAppsError {
  const [message, hint] = isThere
    ? [`${path} is a file, and no directory.`, 'Name the directory that it lies in.']
    : [`There is no directory ${path}.`, 'Correct the path, or create the directory.']
  return new AgentAppsError('DIRECTORY_NOT_FOUND', message, { hint, file: path })
}

/** A file of a directory, as it is shown. */
export function shownPath({ shown }: Pick<ProjectDirectory, 'shown'>, path: string): string {
  return path === '' ? shown || '.' : shown === '' ? path : `${shown}/${path}`
}
