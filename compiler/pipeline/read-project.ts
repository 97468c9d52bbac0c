import { statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { AgentAppsError } from '../../src/base/error.js'
import { nearest } from '../../src/base/nearest.js'
import { encodeProject } from '../../src/index/project-file.js'
import { isBelow } from '../../src/index/unit-around.js'
import {
  iterPaths,
  type PathEntry,
  placePaths,
  type SearchDirectory,
  searchDirectories,
} from '../../src/skill/path-entry.js'
import { discoverUnits } from '../1-read/discover/discover-units.js'
import type { SkillFolder } from '../1-read/discover/elsewhere.js'
import { type WalkEntryOptions, type WalkedEntry, walkEntry } from '../1-read/discover/walk-entry.js'
import { isDirectory, peekDirectory } from '../1-read/walk/look.js'
import { LIBRARY_DIRECTORY } from '../files/package-place.js'
import { ignoreMatcher } from '../project/ignore-matcher.js'
import {
  type OtherDirectory,
  type Project,
  type ProjectDirectory,
  type ProjectText,
  type ReportOptions,
  statOf,
} from '../project/project.js'
import type { UnitFolder } from '../records/unit.js'
import {
  absoluteDirectory,
  absolutePaths,
  configuringPaths,
  type LoadedConfig,
  readConfiguration,
} from './load-config.js'

/**
 * The directories of a project, in search order.
 *
 * @param evaluate whether a configuration that is code is run; false for all that only looks
 * @param onPath called with each file and directory, absolute, that decides which they are, before it is
 * looked at
 * @throws DIRECTORY_NOT_FOUND, NO_SKILL_PATHS, and the errors of reading the configuration
 */
export async function readProject(
  { paths, cwd = process.cwd(), config, external, hostTools, rules }: ReportOptions,
  evaluate: boolean,
  onPath: (path: string) => void = () => {},
): Promise<Project> {
  const base = resolve(cwd)
  if (!paths) for (const path of configuringPaths(base, config)) onPath(path)
  const loaded: LoadedConfig = paths
    ? {
        ...(await absolutePaths(paths, base, onPath)),
        config: {},
        file: null,
        project: { root: cwd },
        user: {},
      }
    : await readConfiguration({ cwd: base, evaluate, ...(config !== undefined && { config }) }, onPath)
  const externalPackages = [...new Set(external ?? loaded.config.external)].sort()
  const searched = searchDirectories(loaded.paths)
  const isOwn = ({ external, layer }: SearchDirectory): boolean => !external && layer === 'project'
  const own = searched.filter(isOwn)
  const mayBeEmpty = (loaded.config.agents ?? []).length > 0
  if (own.length === 0 && loaded.faults.length === 0 && !mayBeEmpty) throw noSkillPaths(base)
  for (const { dir } of own) onPath(dir)
  const { search = true } = loaded.config
  const hasSearch = search !== false
  const embedder = typeof search === 'object' ? search : null
  const directories = own.map(directory => {
    const stat = statOf(directory.dir)
    if (stat !== 'refused' && stat?.isDirectory() !== true)
      throw notDirectory(directory.dir, stat !== undefined, loaded.file, base)
    const shown = shownFrom(base, directory.dir)
    const isIgnored = ignoreMatcher(directory.ignore)
    const isSearched = searchedIn(directory, isIgnored)
    return { ...directory, shown, isIgnored, isSearched, mayBeEmpty, externalPackages, hasSearch, embedder }
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
    projectFile: paths ? null : projectText(loaded, base, externalPackages),
    env,
    keep,
    hostTools: [hostTools ?? loaded.config.hostTools ?? []].flat(),
    rules: { ...loaded.config.rules, ...rules },
    faults: loaded.faults.map(fault => ({ ...fault, file: shownFrom(base, fault.file) })),
  }
}

function shownFrom(base: string, path: string): string {
  return relative(base, path).replaceAll('\\', '/')
}

/** Makes a function that is true for paths where skills are looked for: in a repository those in its units' places. */
function searchedIn(
  { dir, discover }: SearchDirectory,
  isIgnored: (path: string) => boolean,
): (path: string) => boolean {
  if (!discover) return () => true
  let places: UnitFolder[] | undefined
  return path => {
    places ??= discoverUnits(dir, isIgnored).units.flatMap(unit => unit.places)
    return places.some(place => isBelow(path, place.path))
  }
}

/** The directory of skills that a skill file probably lies in. */
function entryOf(file: string): string {
  return basename(file) === 'SKILL.md' ? dirname(dirname(file)) : dirname(file)
}

/** @param config the file that names the path; null where an argument does, relative to `base` */
function notDirectory(path: string, isThere: boolean, config: string | null, base: string): AgentAppsError {
  const named = config === null ? path : `${path}, which \`paths\` of ${shownFrom(base, config)} names`
  const near = isThere ? null : nearDirectory(path)
  const from = shownFrom(config === null ? base : dirname(config), near ?? '')
  const meant = near === null ? '.' : `; did you mean ${from.startsWith('..') ? from : `./${from}`}?`
  const [message, hint] = isThere
    ? [
        `${named}${config === null ? '' : ','} is a file, and no directory.`,
        `Name the directory that contains it: ${entryOf(path)}.`,
      ]
    : [`There is no directory ${named}${meant}`, 'Correct the path, or create the directory.']
  return new AgentAppsError('DIRECTORY_NOT_FOUND', message, { hint, file: path })
}

/** The existing directory nearest to a misspelt path; null if none is near. */
function nearDirectory(path: string): string | null {
  const parent = dirname(path)
  if (parent === path) return null
  const around = isDirectory(parent) ? parent : nearDirectory(parent)
  if (around === null) return null
  const name = basename(path)
  if (isDirectory(join(around, name))) return join(around, name)
  const names = peekDirectory(around).map(item => item.name)
  const near = nearest(
    name,
    names.filter(one => isDirectory(join(around, one))),
  )
  return near === null ? null : join(around, near)
}

/**
 * The project file of a configuration.
 *
 * @param cwd absolute; the project's folder without a configuration
 * @param external the packages that are not bundled, which may differ from the configuration's
 */
function projectText(loaded: LoadedConfig, cwd: string, external: readonly string[]): ProjectText {
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

/** Path entries independent of the folder's location: only directories configured as absolute are absolute. */
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

/**
 * Reads other people's directories from their files, once. A missing directory has no names, as for a
 * runtime.
 */
function othersReader(others: Project['others']): Project['readOthers'] {
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

/**
 * Walks one of a project's directories.
 *
 * @throws NO_SKILL_PATHS for a repository in which there are no skills, and no place for them, unless it has agents
 */
export function walkProject(directory: ProjectDirectory, options: WalkEntryOptions): WalkedEntry {
  const walked = walkEntry(directory, { ...options, isIgnored: directory.isIgnored })
  const { units, manifests, skipped } = walked
  if (!directory.discover || directory.mayBeEmpty || units.length + manifests.length + skipped.length > 0)
    return walked
  throw noSkillPaths(directory.dir)
}

/** The error for a project without a directory of skills. */
function noSkillPaths(directory: string): AgentAppsError {
  return new AgentAppsError('NO_SKILL_PATHS', `No skill directory is configured or found in ${directory}.`, {
    hint: 'Name one, put skills into ./skills, or run `agent-apps init`.',
  })
}

/**
 * Walks one of a project's directories for a compile, which does not guess where skills are.
 *
 * @throws NO_SKILL_PATHS also for a repository whose skills are in none of the places where they are looked for
 */
export function walkToCompile(directory: ProjectDirectory, options: WalkEntryOptions): WalkedEntry {
  const walked = walkProject(directory, { ...options, elsewhere: 'count' })
  const { elsewhere } = walked
  if (!elsewhere?.guessed) return walked
  const paths = JSON.stringify({ paths: elsewhere.paths })
  throw new AgentAppsError(
    'NO_SKILL_PATHS',
    `No plugin manifest and no convention leads to the skills in ${directory.dir}: ${shownPlaces(elsewhere.places)}.`,
    { hint: `Write ${paths} into agent-apps.config.json, or run \`agent-apps init\`.` },
  )
}

const SHOWN = 10

function shownPlaces(elsewhere: readonly SkillFolder[]): string {
  const shown = elsewhere.slice(0, SHOWN).map(({ path, skills }) => `${path === '' ? '.' : path} (${skills})`)
  const more = elsewhere.length - shown.length
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
