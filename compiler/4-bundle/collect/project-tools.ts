import { isAgentAppsError } from '../../../src/base/error.js'
import type { DirectoryNames } from '../../../src/index/directory-names.js'
import { isBroken } from '../../../src/index/index-format.js'
import { labelOf } from '../../../src/skill/names.js'
import type { Project } from '../../project/project.js'
import type { ProjectTools } from '../types/declare-tools.js'
import type { SearchedTools } from './bundle-directory.js'
import { searchedDirectories, searchedIndex } from './collect-bundle.js'
import { declaredBareNames, declaredTools } from './declared-tools.js'

/** The tools of a project, from its indexes. An external directory without an index is read from its files. */
export async function projectTools(project: Project): Promise<ProjectTools> {
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
