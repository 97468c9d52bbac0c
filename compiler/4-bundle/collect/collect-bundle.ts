import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename, dirname, relative, resolve } from 'node:path'
import { cascadeKeyText } from '../../../src/index/digested-texts.js'
import { isBroken, type ToolRecord } from '../../../src/index/index-format.js'
import { parsePatterns } from '../../../src/patterns/tool-pattern.js'
import { WORKSPACE_TAG } from '../../../src/skill/names.js'
import { placePaths, type SearchDirectory } from '../../../src/skill/path-entry.js'
import type { Project } from '../../project/project.js'
import type { BundledDirectory, BundleParts } from '../parts/bundle-parts.js'
import type { DeclaredTool } from '../types/declare-tools.js'
import { bundledDirectory, readIndexed, type SearchedIndex, withTools } from './bundle-directory.js'
import { declaredTools } from './declared-tools.js'
import { keptTools } from './kept-tools.js'

/** The place of the package's own skills in a bundle. */
const LIBRARY_PLACE = '/node_modules/agent-apps/skills'

/**
 * Collects the parts of a project's bundle from its indexes.
 *
 * @throws BUNDLE_UNCOMPILED, OPTIONS_INVALID
 */
export async function collectBundle(
  project: Project,
  keep: readonly string[] | undefined,
  host?: 'node',
): Promise<{ parts: BundleParts; declared: DeclaredTool[] }> {
  const { cwd, paths, searched, library, env } = project
  const places = virtualPaths(cwd, searched)
  const indexed = libraryInBundle(searchedDirectories(project).map(searchedIndex), keep, host)
  const kept = await keptTools(indexed, keep)
  const directories = kept.map(one =>
    bundledDirectory(one, one.isLibrary ? LIBRARY_PLACE : places.placeOf(one.dir)),
  )
  addCascadeKeys(directories, kept)
  const declared = declaredTools(kept)
  return {
    declared,
    parts: {
      cwd: places.cwd,
      paths: placePaths(paths, places.placeOf),
      library: library && LIBRARY_PLACE,
      env,
      names: declared.map(({ name }) => name),
      opensWorkspace: host === 'node',
      directories,
    },
  }
}

type Searched = Omit<SearchDirectory, 'external'> & Pick<SearchedIndex, 'isOwn' | 'isLibrary'>

/** The directories that a project searches, the library last. */
export function searchedDirectories({ searched, library }: Project): Searched[] {
  // A missing directory has no skills, as for a runtime.
  const there = searched.filter(
    ({ dir }, number) => existsSync(dir) && searched.findIndex(one => one.dir === dir) === number,
  )
  const all = there.map(({ external, ...one }) => {
    return { ...one, isOwn: !external && one.layer === 'project', isLibrary: false }
  })
  if (library === null) return all
  return [...all, { dir: library, ignore: [], layer: 'bundled', isOwn: false, isLibrary: true }]
}

/** @throws BUNDLE_UNCOMPILED */
export function searchedIndex({ layer, isOwn, isLibrary, ...entry }: Searched): SearchedIndex {
  return { ...readIndexed(entry), layer, isOwn, isLibrary }
}

/**
 * Adds the digests of the inputs of cascades: the project's depend on all its directories, each other directory's
 * and the library's on itself.
 */
function addCascadeKeys(directories: readonly BundledDirectory[], indexed: readonly SearchedIndex[]): void {
  const below = indexed.find(({ isLibrary }) => isLibrary)?.header.cascadeInput ?? null
  const own = indexed.filter(({ isOwn }) => isOwn).map(({ header }) => header.cascadeInput)
  const texts = [
    cascadeKeyText(own, below),
    ...indexed
      .filter(({ isOwn, isLibrary }) => !isOwn && !isLibrary)
      .map(({ header }) => cascadeKeyText([header.cascadeInput], below)),
    cascadeKeyText([], below),
  ]
  directories[0]?.digests.push(...texts.map((text): [string, string] => [text, hash('sha256', text)]))
}

/**
 * Places the directories of a project relative to each other as on disk, so that paths between them mean the
 * same without revealing where the project is. Other people's directories outside it are numbered.
 */
function virtualPaths(
  cwd: string,
  searched: readonly SearchDirectory[],
): { cwd: string; placeOf: (dir: string) => string } {
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

/** The library's tools that only agents need, whose code needs the AI SDK. */
const AGENTS: readonly string[] = ['agent', 'context-manager']

/**
 * Leaves out the library's tools that a bundle does not need: those for files and processes, which not every host has, and
 * those for agents, unless a skill is run by one or names them. With the tools for processes comes `task`, which starts
 * agents.
 *
 * @param directories the library's among them
 * @param keep the patterns of the tools that the bundle keeps
 */
function libraryInBundle(
  directories: readonly SearchedIndex[],
  keep: readonly string[] = [],
  host?: 'node',
): SearchedIndex[] {
  const own = directories.filter(({ isLibrary }) => !isLibrary).flatMap(recordsOf)
  const hasAgents = host === 'node' || isMentioned(keep.join(' ')) || own.some(needsAgents)
  return directories.map(directory => {
    const { tools } = directory.records
    const isKept = (name: string): boolean => {
      const record = tools.get(name)
      if (!record || isBroken(record)) return true
      const isAway = host !== 'node' && record.frontmatter.tags.includes(WORKSPACE_TAG)
      return !isAway && (hasAgents || !AGENTS.includes(name))
    }
    return directory.isLibrary ? withTools(directory, isKept) : directory
  })
}

function recordsOf({ records }: SearchedIndex): ToolRecord[] {
  return [...records.tools.values()].flatMap(record => (isBroken(record) ? [] : [record]))
}

function needsAgents({ frontmatter }: ToolRecord): boolean {
  const { agent, delegate, 'requires-tools': required } = frontmatter.metadata
  if (agent) return true
  return [delegate, required, frontmatter['allowed-tools']]
    .flat()
    .some(one => typeof one === 'string' && isMentioned(one))
}

/** True for a list of patterns of which one names one of the tools itself, and does not forbid it; globs name none. */
function isMentioned(list: string): boolean {
  return parsePatterns(list).some(
    ({ text, options }) => options.deny === undefined && AGENTS.includes(text.replace(/^\$|\(.*/gs, '')),
  )
}
