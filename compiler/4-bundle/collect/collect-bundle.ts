import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cascadeKeyText } from '../../../src/index/index-format.js'
import { mapPaths, type SearchDirectory } from '../../../src/skill/path-entry.js'
import type { Project } from '../../project/project.js'
import type { BundledDirectory, BundleParts } from '../parts/bundle-parts.js'
import { virtualPaths } from '../parts/virtual-paths.js'
import type { DeclaredTool } from '../types/declare-tools.js'
import { bundledDirectory, readIndexed, type SearchedIndex } from './bundle-directory.js'
import { declaredTools } from './declared-tools.js'
import { keptTools } from './kept-tools.js'

/** Where the package's own skills lie in a bundle. */
const LIBRARY_PLACE = '/node_modules/agent-apps/skills'

/**
 * Collects the parts of a project's bundle from its indexes.
 *
 * @throws BUNDLE_UNCOMPILED, OPTIONS_INVALID
 */
export async function collectBundle(
  { cwd, paths, searched, library, env }: Project,
  keep: readonly string[] | undefined,
): Promise<{ parts: BundleParts; declared: DeclaredTool[] }> {
  const places = virtualPaths(cwd, searched)
  const own = ({ external, layer }: Project['searched'][number]) => !external && layer === 'project'
  // A missing directory has no skills, as for a runtime.
  const there = searched.filter(
    ({ dir }, number) => existsSync(dir) && searched.findIndex(one => one.dir === dir) === number,
  )
  const all = there.map(one => searchedIndex(one, { isOwn: own(one), isLibrary: false }))
  const below =
    library === null
      ? []
      : [searchedIndex({ dir: library, ignore: [], layer: 'bundled' }, { isOwn: false, isLibrary: true })]
  const kept = await keptTools([...all, ...below], keep)
  const directories = kept.map(one =>
    bundledDirectory(one, one.isLibrary ? LIBRARY_PLACE : places.placeOf(one.dir)),
  )
  addCascadeKeys(directories, kept)
  const declared = declaredTools(kept)
  return {
    declared,
    parts: {
      cwd: places.cwd,
      paths: mapPaths(paths, (dir, _external, entry) => [
        typeof entry === 'string' ? places.placeOf(dir) : { ...entry, dir: places.placeOf(dir) },
      ]),
      library: library && LIBRARY_PLACE,
      env,
      names: declared.map(({ name }) => name),
      directories,
    },
  }
}

function searchedIndex(
  entry: Pick<SearchDirectory, 'dir' | 'ignore' | 'layer'>,
  whose: Pick<SearchedIndex, 'isOwn' | 'isLibrary'>,
): SearchedIndex {
  return { ...readIndexed(entry), layer: entry.layer, ...whose }
}

/**
 * Adds the digests of what cascades depend on: the project's on all its directories, each other directory's
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
