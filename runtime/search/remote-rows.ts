import { isOffered, matchedTool } from '../../src/catalog/offered-tool.js'
import { hasRequiredTools } from '../../src/catalog/required-tools.js'
import type { TermIndex } from '../../src/search/postings.js'
import { EVERYTHING, type Ranking, rank, type SearchView, searchViewOf } from '../../src/search/rank.js'
import type { SearchFile } from '../../src/search/search-file.js'
import type { QueryWord } from '../../src/search/words.js'
import { unmetVersion } from '../cascade/cascade-faults.js'
import { allowedAmong } from '../policy/authorize.js'
import { guardsOf, isEnabled } from '../policy/guards-of.js'
import type { Globals } from '../state/context.js'
import type { RemoteSearch } from '../state/remote.js'
import type { ToolDef } from '../state/tool-def.js'
import type { Searchable } from './search-view.js'

/** The tools of a remote entry in a search: its rows come after those of all tools before. */
interface RemoteRows {
  first: number
  rows: number
  index: TermIndex
  search: RemoteSearch
}

/** All tools that a search ranks: those of a list, and the rows of remote entries after them. */
export interface RankedTools {
  indexes: readonly TermIndex[]
  view: SearchView
  remote: readonly RemoteRows[]
}

/** Adds the rows of remote entries to a view of listed tools. Only the terms that are looked up are loaded. */
export async function withRemoteRows(
  index: TermIndex,
  view: SearchView,
  terms: readonly string[],
  { remote }: Globals,
): Promise<RankedTools> {
  const indexes = [index]
  const found: RemoteRows[] = []
  let first = view.parts.length
  for (const search of (await remote?.searches()) ?? []) {
    const read = await search.ask(async file => {
      await file.load(terms)
      return { rows: file.rows, index: file.index(rowsFrom(first, file)) }
    })
    if (!read) continue
    found.push({ ...read, first, search })
    indexes.push(read.index)
    first += read.rows
  }
  if (found.length === 0) return { indexes, view, remote: [] }
  const parts = new Uint8Array(first).fill(EVERYTHING)
  parts.set(view.parts)
  return { indexes, view: searchViewOf(parts), remote: found }
}

function rowsFrom(first: number, { rows }: SearchFile): Int32Array {
  return Int32Array.from({ length: rows }, (_, row) => first + row)
}

/** A row of a ranking, with its tool. */
export interface RankedTool {
  tool: ToolDef
  row: number
  score: number
  matched: string[]
}

/** The most rows of which the tools are looked at. */
const ROWS_MAX = 512

/**
 * Ranks tools of which the remote ones are only known once they are loaded: those that the caller may not know of, or
 * does not want, make room for the next.
 *
 * @param toolAt the listed tool of a row, if the caller wants it
 * @param isWanted whether the caller wants a remote tool
 */
export async function rankRemote(
  words: readonly QueryWord[],
  index: TermIndex,
  { view, remote }: RankedTools,
  toolAt: (row: number) => ToolDef | null,
  isWanted: (tool: ToolDef) => Promise<boolean>,
  limit: number,
): Promise<{ best: RankedTool[]; found: number }> {
  const listed = remote[0]?.first ?? view.parts.length
  const looked = new Map<number, ToolDef | null>()
  const isCounted = (row: number): boolean => (row < listed ? toolAt(row) : looked.get(row)) !== null
  for (let size = limit; ; size *= 2) {
    const ranking: Ranking = rank(words, index, view, isCounted, size)
    const best: RankedTool[] = []
    for (const ranked of ranking.best) {
      if (best.length === limit) break
      const tool = ranked.row < listed ? toolAt(ranked.row) : await remoteAt(ranked.row)
      if (tool) best.push({ ...ranked, tool })
    }
    const isAll = ranking.best.length < size || size >= ROWS_MAX
    if (best.length === limit || isAll) return { best, found: ranking.found }
  }

  async function remoteAt(row: number): Promise<ToolDef | null> {
    const known = looked.get(row)
    if (known !== undefined) return known
    const rows = remote.find(one => row < one.first + one.rows) as RemoteRows
    const name = await rows.search.ask(file => file.name(row - rows.first))
    const tool = name === null ? null : await rows.search.tool(name)
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
