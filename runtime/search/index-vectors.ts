import { disk } from '#disk'
import { IndexRefused, isShardDigest, type OpenIndex } from '../../src/index/read-index.js'
import { embedderFailed } from '../../src/search/embedder.js'
import { decodeVectors, type ToolVectors, vectorFile } from '../../src/search/vector-file.js'
import type { Globals } from '../state/context.js'
import type { DirectoryState } from '../state/directory-state.js'
import { whileUsed } from './index-search.js'

const read = new WeakMap<OpenIndex, ToolVectors>()

/**
 * The vectors of an index, by the tools' names; null without, or where the index is no longer used.
 *
 * @throws EMBEDDER_FAILED for those of another model
 */
export async function indexVectors(
  state: DirectoryState,
  index: OpenIndex,
  model: string,
  globals: Globals,
): Promise<ToolVectors | null> {
  const { vectors } = index.header
  if (vectors === undefined) return null
  if (vectors.model !== model)
    throw embedderFailed(
      `is of the model ${quoted(model)}, and the vectors of ${state.dir} of ${quoted(vectors.model)}`,
    )
  const known = read.get(index)
  if (known) return known
  const made = await whileUsed(state, index, globals, () => decoded(state, vectors.digest))
  if (made) read.set(index, made)
  return made
}

async function decoded({ dir }: DirectoryState, digest: unknown): Promise<ToolVectors> {
  if (!isShardDigest(digest)) throw new IndexRefused('its vector file has no name')
  const path = disk.resolve(dir, vectorFile(digest))
  const size = disk.stat(path)?.size ?? 0
  const bytes = await disk.readRange(path, 0, size, size)
  if (bytes === null) throw new IndexRefused('its vector file is missing or cut off')
  return decodeVectors(bytes, digest, disk.digestOf)
}

function quoted(model: string): string {
  return JSON.stringify(model)
}
