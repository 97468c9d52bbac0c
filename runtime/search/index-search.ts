import { disk } from '#disk'
import { IndexRefused, isShardDigest, type OpenIndex } from '../../src/index/read-index.js'
import { SearchFile, searchFile } from '../../src/search/search-file.js'
import { withNames } from '../directory/look-up.js'
import type { Globals } from '../state/context.js'
import type { DirectoryState } from '../state/directory-state.js'
import type { ToolSource } from '../state/tool-source.js'

/** The search file of an index. */
export interface IndexSearch {
  state: DirectoryState
  names: OpenIndex
  file: SearchFile
  /** The file's row of each name. */
  rows: ReadonlyMap<string, number>
}

const opened = new WeakMap<OpenIndex, IndexSearch | null>()

/** Opens the search file of the index that a tool is from; null without one, or where the index is no longer used. */
export async function indexSearch(
  { state, names }: ToolSource,
  globals: Globals,
): Promise<IndexSearch | null> {
  if (!('header' in names)) return null
  const index = names as OpenIndex
  const known = opened.get(index)
  if (known !== undefined && state.index === index) return known
  const search = await whileUsed(state, index, globals, () => open(state, index))
  opened.set(index, search)
  return search
}

async function open(state: DirectoryState, names: OpenIndex): Promise<IndexSearch | null> {
  const { search } = names.header
  if (search === undefined) return null
  if (!isShardDigest(search)) throw new IndexRefused('its search file has no name')
  const path = disk.resolve(state.dir, searchFile(search))
  const size = disk.stat(path)?.size ?? 0
  const read = (start: number, end: number) => disk.readRange(path, start, end, size)
  const file = await SearchFile.open(read, size, search, disk.digestOf)
  const rows = new Map(names.names().map((name, row) => [name, row]))
  if (rows.size !== file.rows) throw new IndexRefused('its search file is of other tools')
  return { state, names, file, rows }
}

/**
 * Loads the terms that will be looked up in some search files. False where one of them was refused or replaced, and so is not
 * used any more.
 */
export async function loadTerms(
  searches: readonly IndexSearch[],
  terms: readonly string[],
  globals: Globals,
): Promise<boolean> {
  for (const { state, names, file } of searches) {
    const isLoaded = await whileUsed(state, names, globals, async () => {
      await file.load(terms)
      return true
    })
    if (!isLoaded) return false
  }
  return true
}

/** Does work that reads a file of an index; null where the index turns out to be replaced or invalid. */
function whileUsed<Answer>(
  state: DirectoryState,
  names: OpenIndex,
  globals: Globals,
  work: () => Promise<Answer | null>,
): Promise<Answer | null> {
  return withNames(state, globals, async () => (state.index === names ? work() : null))
}
