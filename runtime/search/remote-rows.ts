import { isOffered, matchedTool } from '../../src/catalog/offered-tool.js'
import { hasRequiredTools } from '../../src/catalog/required-tools.js'
import { joinIndexes, type TermIndex } from '../../src/search/postings.js'
import { EVERYTHING, type Ranking, rank, type SearchView, searchViewOf } from '../../src/search/rank.js'
import type { SearchFile } from '../../src/search/search-file.js'
import type { QueryWord } from '../../src/search/words.js'
import { unmetVersion } from '../cascade/cascade-faults.js'
import { allowedAmong } from '../policy/authorize.js'
import { guardsOf, isEnabled } from '../policy/guards-of.js'
import type { RemoteSearch } from '../state/remote.js'
import type { ToolDef } from '../state/tool-def.js'
import { partsFor, type Searchable } from './search-view.js'

/** The tools of a remote entry in a search: its rows come after those of all tools before. */
interface RemoteRows {
  first: number
  file: SearchFile
  search: RemoteSearch
}

/** All tools that a search ranks: those of a list, and the rows of remote entries after them. */
export interface RankedTools {
  index: TermIndex
  view: SearchView
  /** The number of the listed ones. */
  listed: number
  remote: readonly RemoteRows[]
}

/** Those of the last search among the same listed tools. */
const kept = new WeakMap<SearchView, RankedTools>()

/**
 * Adds the rows of remote entries to a view of listed tools. Only the terms that are looked up are loaded. Everything counts
 * of an entry that is too large to list.
 */
export async function withRemoteRows(
  index: TermIndex,
  view: SearchView,
  terms: readonly string[],
  searches: readonly RemoteSearch[],
  searchable: Searchable,
): Promise<RankedTools> {
  const listed = view.parts.length
  const files = await Promise.all(
    searches.map(search => search.ask(file => file.load(terms).then(() => file))),
  )
  let next = listed
  const remote: RemoteRows[] = []
  files.forEach((file, at) => {
    if (!file) return
    remote.push({ first: next, file, search: searches[at] as RemoteSearch })
    next += file.rows
  })
  const known = kept.get(view)
  if (known && hasFiles(known, remote)) return known
  const parts = new Uint8Array(next).fill(EVERYTHING)
  parts.set(view.parts)
  const partOf = await partsFor(searchable)
  for (const { first, file, search } of remote) {
    const tools = search.listed() ?? []
    parts.set(tools.slice(0, file.rows).map(partOf), first)
  }
  const indexes = [index, ...remote.map(({ file, first }) => file.index(rowsFrom(first, file)))]
  const ranked = { index: joinIndexes(indexes), view: searchViewOf(parts), listed, remote }
  kept.set(view, ranked)
  return ranked
}

function hasFiles({ remote }: RankedTools, now: readonly RemoteRows[]): boolean {
  return remote.length === now.length && remote.every(({ file }, at) => file === now[at]?.file)
}

function rowsFrom(first: number, { rows }: SearchFile): Int32Array {
  return new Int32Array(rows).map((_, row) => first + row)
}

/** A row of a ranking, with its tool. */
export interface RankedTool {
  tool: ToolDef
  row: number
  score: number
  matched: string[]
}

/** The most remote tools that a search loads. */
const LOADED_MAX = 512

/**
 * Ranks tools of which the remote ones are only known once they are loaded: those that the caller may not know of, or
 * does not want, make room for the next.
 *
 * @param toolAt the listed tool of a row, if the caller wants it
 * @param isWanted whether the caller wants a remote tool
 */
export async function rankRemote(
  words: readonly QueryWord[],
  { index, view, listed, remote }: RankedTools,
  toolAt: (row: number) => ToolDef | null,
  isWanted: (tool: ToolDef) => Promise<boolean>,
  limit: number,
): Promise<{ best: RankedTool[]; found: number }> {
  const looked = new Map<number, ToolDef | null>()
  const isCounted = (row: number): boolean => (row < listed ? toolAt(row) : looked.get(row)) !== null
  for (let size = limit; ; size *= 2) {
    const ranking: Ranking = rank(words, index, view, isCounted, size)
    const tools = await Promise.all(
      ranking.best.map(({ row }) => (row < listed ? toolAt(row) : remoteAt(row))),
    )
    const all = ranking.best.flatMap((ranked, at) => {
      const tool = tools[at]
      return tool ? [{ ...ranked, tool }] : []
    })
    const best = all.slice(0, limit)
    const isAll = ranking.best.length < size || looked.size >= LOADED_MAX
    if (best.length === limit || isAll) return { best, found: ranking.found }
  }

  async function remoteAt(row: number): Promise<ToolDef | null> {
    const known = looked.get(row)
    if (known !== undefined) return known
    if (looked.size >= LOADED_MAX) return null
    looked.set(row, null)
    const rows = remote.find(({ first, file }) => row < first + file.rows) as RemoteRows
    const tool = await rows.search.tool(row - rows.first)
    const wanted = tool && (await isWanted(tool)) ? tool : null
    looked.set(row, wanted)
    return wanted
  }
}

/** True for a remote tool that the caller may know of. Code knows all of them. */
export async function isKnownRemote(tool: ToolDef, { limits, globals, known }: Searchable): Promise<boolean> {
  if (!limits) return true
  if (!isOffered(tool) || !isEnabled(tool, globals) || unmetVersion(tool)) return false
  if (guardsOf(tool).faults.length > 0 || (await allowedAmong([tool], globals, limits)).length === 0)
    return false
  const required = tool.frontmatter.metadata['requires-tools']
  return required === undefined || hasRequiredTools(required, known.map(matchedTool))
}
