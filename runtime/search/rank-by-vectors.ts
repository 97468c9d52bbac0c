import { disk } from '#disk'
import { IndexRefused, isShardDigest, type OpenIndex } from '../../src/index/read-index.js'
import {
  type Embed,
  type Embedder,
  embeddedText,
  embedderFailed,
  embedTexts,
  likeness,
} from '../../src/search/embedder.js'
import { NOTHING, type RankedRow, type Ranking, type SearchView } from '../../src/search/rank.js'
import { decodeVectors, type ToolVectors, vectorFile } from '../../src/search/vector-file.js'
import type { Globals } from '../state/context.js'
import type { DirectoryState } from '../state/directory-state.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'
import { whileUsed } from './index-search.js'

/** So many of the best by words, and by vectors, are fused. */
export const FUSED = 100
/** The constant of reciprocal rank fusion, as its authors chose it: the first few count about as much as each other. */
const SMOOTHING = 60

/** The tools that are ranked by vectors, and the text that they are compared with. */
export interface VectorQuery extends Embedder {
  text: string
  tools: readonly ToolDef[]
  view: SearchView
  isWanted: (row: number) => boolean
  limit: number
  globals: Globals
}

/**
 * Fuses the best by words with the best by vectors: the score of a tool is the sum of the reciprocals of its ranks. Tools that the
 * caller may not know of are neither embedded nor compared.
 *
 * @throws EMBEDDER_FAILED
 */
export async function rankByVectors(byWords: readonly RankedRow[], query: VectorQuery): Promise<Ranking> {
  const byVectors = await nearest(query)
  const fused = new Map<number, RankedRow>()
  for (const best of [byWords, byVectors])
    for (const [rank, found] of best.slice(0, FUSED).entries()) {
      const before = fused.get(found.row)
      const score = (before?.score ?? 0) + 1 / (SMOOTHING + rank + 1)
      fused.set(found.row, { ...(before ?? found), score })
    }
  const best = [...fused.values()].sort(byScore)
  return { best: best.slice(0, query.limit), found: best.length }
}

function byScore(a: RankedRow, b: RankedRow): number {
  return b.score - a.score || a.row - b.row
}

async function nearest({ text, tools, view, isWanted, ...query }: VectorQuery): Promise<RankedRow[]> {
  const rows = [...tools.keys()].filter(row => view.parts[row] !== NOTHING)
  const vectors = await vectorsOf(
    rows.map(row => tools[row] as ToolDef),
    query,
  )
  const [asked] = await embedTexts(query.embed, [text], vectors[0]?.length ?? null)
  return rows
    .map((row, at) => ({ row, score: likeness(asked as Int8Array, vectors[at] as Int8Array), matched: [] }))
    .filter(({ row, score }) => score > 0 && isWanted(row))
    .sort(byScore)
}

interface MadeVector {
  text: string
  vector: Int8Array
}

/** The vectors that each function made of tools without a compiled one. */
const made = new WeakMap<Embed, WeakMap<ToolDef, MadeVector>>()

/** The last search with each function. The next one waits for it, so that each text is embedded once. */
const last = new WeakMap<Embed, Promise<unknown>>()

function vectorsOf(
  tools: readonly ToolDef[],
  embedder: Embedder & { globals: Globals },
): Promise<Int8Array[]> {
  const make = () => makeVectors(tools, embedder)
  const vectors = (last.get(embedder.embed) ?? Promise.resolve()).then(make, make)
  last.set(embedder.embed, vectors)
  return vectors
}

/** The vectors of tools: those of their indexes, and of all others new ones, which are kept. */
async function makeVectors(
  tools: readonly ToolDef[],
  { embed, model = '', globals }: Embedder & { globals: Globals },
): Promise<Int8Array[]> {
  const known = made.get(embed) ?? new WeakMap<ToolDef, MadeVector>()
  made.set(embed, known)
  const vectors: (Int8Array | null)[] = []
  const texts = new Map<number, string>()
  for (const [at, tool] of tools.entries()) {
    const compiled = await compiledVector(tool, model, globals)
    const text = compiled ? '' : embeddedText(tool.frontmatter)
    const before = known.get(tool)
    const vector = compiled ?? (before?.text === text ? before.vector : null)
    if (!vector) texts.set(at, text)
    vectors.push(vector)
  }
  const length = vectors.find(vector => vector !== null)?.length ?? null
  const fresh = await embedTexts(embed, [...texts.values()], length)
  for (const [number, [at, text]] of [...texts].entries()) {
    const vector = fresh[number] as Int8Array
    vectors[at] = vector
    known.set(tools[at] as ToolDef, { text, vector })
  }
  return vectors as Int8Array[]
}

async function compiledVector(tool: ToolDef, model: string, globals: Globals): Promise<Int8Array | null> {
  const source = sourceOf(tool)
  if (!source || !('header' in source.names)) return null
  const vectors = await indexVectors(source.state, source.names as OpenIndex, model, globals)
  return vectors?.get(tool.name)?.vector ?? null
}

const read = new WeakMap<OpenIndex, ToolVectors>()

/**
 * The vectors of an index, by the tools' names; null without, or where the index is no longer used.
 *
 * @throws EMBEDDER_FAILED for those of another model
 */
async function indexVectors(
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
