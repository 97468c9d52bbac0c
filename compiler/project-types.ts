import { relative, resolve } from 'node:path'
import { AgentAppsError, isAgentAppsError } from '../src/base/error.js'
import type { DirectoryNames } from '../src/index/directory-names.js'
import { isBroken } from '../src/index/index-format.js'
import { labelOf } from '../src/skill/names.js'
import type { SearchedTools } from './4-bundle/collect/bundle-directory.js'
import { searchedDirectories, searchedIndex } from './4-bundle/collect/collect-bundle.js'
import { declaredBareNames, declaredTools } from './4-bundle/collect/declared-tools.js'
import {
  declareProjectTools,
  type ProjectTools,
  shownTools,
  TYPES_MARK,
} from './4-bundle/types/declare-tools.js'
import { areTypesWritten, writeTypes } from './4-bundle/types/write-types.js'
import { checkOutside, checkReplaceable } from './4-bundle/write/check-place.js'
import type { Project } from './project/project.js'
import type { Job } from './project/stage.js'

/**
 * The file for declarations, absolute.
 *
 * @throws OPTIONS_INVALID, BUNDLE_PLACE
 */
export function typesPlace({ cwd, directories }: Project, types: string): string {
  if (!types.endsWith('.d.ts')) {
    throw new AgentAppsError(
      'OPTIONS_INVALID',
      `Declarations cannot be written to ${JSON.stringify(types)}.`,
      {
        hint: 'Give `types` a name that ends in `.d.ts`.',
      },
    )
  }
  const file = resolve(cwd, types)
  checkOutside(file, directories, 'declarations')
  checkReplaceable(file, TYPES_MARK, 'declarations')
  return file
}

/**
 * Writes the types of a project's tools, which are made of its indexes.
 *
 * @param file absolute
 * @param outdated files of the indexes that are out of date: then the types are too
 * @param withLibrary whether they have the library's tools
 * @returns the file, as a shown path, where it is out of date and `check` is set
 * @throws BUNDLE_NOT_WRITABLE
 */
export async function emitTypes(
  project: Project,
  file: string,
  outdated: readonly string[],
  { check, written }: Job,
  withLibrary = false,
): Promise<string[]> {
  const shown = relative(project.cwd, file).replaceAll('\\', '/')
  if (check && outdated.length > 0) return [shown]
  const { tools, bareNames } = await projectTools(project)
  const text = declareProjectTools({ tools: shownTools(tools, withLibrary), bareNames }, file)
  if (check) return areTypesWritten(file, text) ? [] : [shown]
  if (await writeTypes(file, text)) written.add(shown)
  return []
}

/** The tools of a project, from its indexes. An external directory without an index is read from its files. */
async function projectTools(project: Project): Promise<ProjectTools> {
  const directories: SearchedTools[] = []
  for (const one of searchedDirectories(project)) {
    try {
      directories.push(searchedIndex(one))
    } catch (error) {
      if (!isAgentAppsError(error) || error.code !== 'BUNDLE_UNCOMPILED' || one.isOwn) throw error
      const others = await project.readOthers()
      const names = others.find(({ dir }) => dir === one.dir)?.names
      if (names) directories.push({ ...one, records: recordsOf(names), namesakes: namesakesOf(names) })
    }
  }
  const tools = declaredTools(directories)
  return { tools, bareNames: declaredBareNames(directories, tools) }
}

function recordsOf(names: DirectoryNames): SearchedTools['records'] {
  const files = named(names.paths(), path => names.file(path))
  return { tools: named(names.names(), name => names.tool(name, true)), files, cascades: new Map() }
}

/** The name that each bare name means. One that means a broken tool leads to no tool, as in a runtime. */
function namesakesOf(names: DirectoryNames): SearchedTools['namesakes'] {
  const bare = names
    .names()
    .map(labelOf)
    .filter(label => !names.tool(label, true))
  return named(bare, label => {
    const record = names.tool(label)
    return record && [isBroken(record) ? label : record.frontmatter.name]
  })
}

function named<Item>(keys: readonly string[], item: (key: string) => Item | undefined): Map<string, Item> {
  return new Map(
    keys.flatMap((key): [string, Item][] => {
      const found = item(key)
      return found === undefined ? [] : [[key, found]]
    }),
  )
}
