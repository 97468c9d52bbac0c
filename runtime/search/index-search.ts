import { disk } from '#disk'
import { IndexRefused, isShardDigest, type OpenIndex } from '../../src/index/read-index.js'
import { SearchFile, searchFile } from '../../src/search/search-file.js'
import { withNames } from '../directory/look-up.js'
import type { Globals } from '../state/context.js'
import type { DirectoryState } from '../state/directory-state.js'

/** The search file of an index. */
export interface IndexSearch {
  state: DirectoryState
  names: OpenIndex
  file: SearchFile
}

/** Those that were opened, so that all searches load terms into one. */
const opened = new WeakMap<OpenIndex, Promise<IndexSearch | null>>()

/** Opens the search file of an index; null without one, or where the index is no longer used. */
export function indexSearch(
  state: DirectoryState,
  index: OpenIndex,
  globals: Globals,
): Promise<IndexSearch | null> {
  const known = opened.get(index)
  if (known && state.index === index) return known
  const search = whileUsed(state, index, globals, () => open(state, index))
  opened.set(index, search)
  search.catch(() => opened.delete(index))
  return search
}

async function open(state: DirectoryState, names: OpenIndex): Promise<IndexSearch | null> {
  const { search } = names.header
  if (search === undefined) return null
  if (!isShardDigest(search)) throw new IndexRefused('its search file has no name')
  const path = disk.resolve(state.dir, searchFile(search))
  const size = disk.stat(path)?.size ?? 0
  const read = (start: number, end: number) => disk.readRange(path, start, end, size)
  return { state, names, file: await SearchFile.open(read, size, search, disk.digestOf) }
}

/** Reads from the search file of an index; null where the index turns out to be replaced or invalid. */
export function askSearch<Answer>(
  { state, names, file }: IndexSearch,
  globals: Globals,
  ask: (file: SearchFile) => Promise<Answer>,
): Promise<Answer | null> {
  return whileUsed(state, names, globals, () => ask(file))
}

/** Does work while an index is used; null where it turns out to be replaced or invalid. */
export function whileUsed<Answer>(
  state: DirectoryState,
  names: OpenIndex,
  globals: Globals,
  work: () => Promise<Answer | null>,
): Promise<Answer | null> {
  return withNames(state, globals, async () => (state.index === names ? work() : null))
}
