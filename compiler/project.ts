import { statSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import picomatch from 'picomatch'
import { AgentAppsError } from '../src/error.js'
import { type PathEntry, type SearchDirectory, searchDirectories } from '../src/path-entry.js'
import { loadConfig, withAbsoluteDirectory } from './load-config.js'

export interface ProjectOptions {
  /** Path entries; default: the configuration's. */
  paths?: readonly PathEntry[] | undefined
  /** The directory that relative paths start from and that shown paths are relative to. Default: the process's. */
  cwd?: string | undefined
  /** A configuration file to use where `paths` is absent. */
  config?: string | undefined
}

/** A directory of the project's own, ready to be compiled. */
export interface ProjectDirectory extends SearchDirectory {
  /** Its path from `cwd`, `/`-separated, as it is shown; empty for `cwd` itself. */
  shown: string
  isIgnored: (path: string) => boolean
}

/** What compiling is about. */
export interface Project {
  /** The project's own directories, in search order. */
  directories: ProjectDirectory[]
  /** Whether the skills that the package ships are searched after all others. */
  library: boolean
  /** True where other people's directories are searched too, whose skills are not this project's to compile. */
  searchesElsewhere: boolean
}

/** @throws DIRECTORY_NOT_FOUND, NO_SKILL_PATHS, and what reading the configuration throws */
export async function openProject({ paths, cwd = process.cwd(), config }: ProjectOptions): Promise<Project> {
  const base = resolve(cwd)
  const loaded = paths ? null : await loadConfig({ cwd: base, ...(config !== undefined && { config }) })
  const entries = paths?.map(entry => withAbsoluteDirectory(entry, base)) ?? loaded?.paths ?? []
  const searched = searchDirectories(entries)
  const directories = searched.filter(isOwn)
  return {
    directories: ownDirectories(directories, base),
    library: loaded?.config.library ?? true,
    searchesElsewhere: directories.length < searched.length,
  }
}

/** The project's own directories alone. Throws as `openProject` does. */
export async function projectDirectories(options: ProjectOptions): Promise<ProjectDirectory[]> {
  return (await openProject(options)).directories
}

function isOwn({ external, layer }: SearchDirectory): boolean {
  return !external && layer === 'project'
}

function ownDirectories(directories: readonly SearchDirectory[], base: string): ProjectDirectory[] {
  if (directories.length === 0) {
    throw new AgentAppsError('NO_SKILL_PATHS', `No skill directory is configured or found in ${base}.`, {
      hint: 'Name one, put skills into ./skills, or run `agent-apps init`.',
    })
  }
  return directories.map(directory => {
    if (statSync(directory.dir, { throwIfNoEntry: false })?.isDirectory() !== true) {
      throw new AgentAppsError('DIRECTORY_NOT_FOUND', `There is no directory ${directory.dir}.`, {
        hint: 'Correct the path, or create the directory.',
        file: directory.dir,
      })
    }
    const shown = relative(base, directory.dir).replaceAll('\\', '/')
    return { ...directory, shown, isIgnored: ignoreMatcher(directory.ignore) }
  })
}

/** True for the paths, relative to a directory, that its ignore patterns exclude. */
export function ignoreMatcher(patterns: readonly string[]): (path: string) => boolean {
  return patterns.length === 0 ? () => false : picomatch([...patterns], { dot: true })
}

/** A file of a directory, as it is shown. */
export function shownPath({ shown }: Pick<ProjectDirectory, 'shown'>, path: string): string {
  return path === '' ? shown || '.' : shown === '' ? path : `${shown}/${path}`
}
