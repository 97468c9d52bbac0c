import { AgentAppsError } from '../../src/base/error.js'
import { isLibrary } from '../../src/catalog/offered-tool.js'
import { EVERYTHING, type RankedRow, rank } from '../../src/search/rank.js'
import { fieldWeights } from '../../src/search/tool-terms.js'
import type { QueryWord } from '../../src/search/words.js'
import { withOwnFields } from '../find/make-tool.js'
import { lazy } from '../host/later.js'
import type { Hit, Rerank } from '../state/search-functions.js'
import type { ToolDef } from '../state/tool-def.js'
import {
  filtersOf,
  readQuery,
  type SearchOptions,
  type SearchQuery,
  type SearchResult,
} from './search-query.js'
import { type Searchable, searchView } from './search-view.js'
import { searchedTools, textsOf } from './searched-tools.js'

const remotes = lazy(() => import('./remote-rows.js'))
const vectors = lazy(() => import('./rank-by-vectors.js'))

/** The most hits that are put in another order. */
const RERANKED = 50

/**
 * Finds tools by words, the best first. An empty query finds all, in the order of the list.
 *
 * @throws OPTIONS_INVALID, EMBEDDER_FAILED, RERANKER_FAILED
 */
export async function searchTools(
  text: string,
  options: SearchOptions = {},
  searchable: Searchable,
): Promise<SearchResult> {
  return searchFor(readQuery(text, options), searchable)
}

/** Finds tools by a query that was checked. */
export async function searchFor(query: SearchQuery, searchable: Searchable): Promise<SearchResult> {
  if (query.text.trim() === '') return listed(query, searchable)
  if (query.words.length === 0) return { hits: [], found: 0 }
  const rerank = searchable.globals.search?.rerank
  if (!rerank) return found(query, searchable, query.limit)
  const result = await found(query, searchable, Math.max(query.limit, RERANKED))
  return reranked(rerank, query.text, result, query.limit)
}

function listed({ options, limit }: SearchQuery, { known }: Searchable): SearchResult {
  const filters = filtersOf(options)
  const wanted = known.filter(
    tool => (options.library === true || !isLibrary(tool)) && filters.every(filter => filter(tool)),
  )
  return {
    hits: wanted
      .slice(0, limit)
      .map(tool => ({ name: tool.name, tool: withOwnFields(tool), score: 0, matched: [] })),
    found: wanted.length,
  }
}

async function found(
  { text, words, options }: SearchQuery,
  searchable: Searchable,
  limit: number,
): Promise<SearchResult> {
  const { all, globals } = searchable
  const { remote, search: { embed, model } = {} } = globals
  const filters = filtersOf(options)
  const isWanted = (tool: ToolDef): boolean => filters.every(filter => filter(tool))
  const terms = words.map(({ term }) => term)
  const local = remote ? all.filter(({ published }) => !published) : all
  const { tools, index } = await searchedTools(local, options.library === true, globals, terms)
  const view = await searchView(tools, searchable)
  const toolAt = (row: number): ToolDef => tools[row] as ToolDef
  const isWantedRow = (row: number): boolean => isWanted(toolAt(row))
  const fused = embed && (await vectors())
  const most = fused ? Math.max(limit, fused.FUSED) : limit
  const byWords = remote ? await withRemote(most) : rank(words, index, view, isWantedRow, most)
  const ranking = fused
    ? await fused.rankByVectors(byWords.best, {
        text,
        embed,
        model,
        tools,
        view,
        isWanted: isWantedRow,
        limit,
        globals,
      })
    : byWords
  const hits: Hit[] = []
  for (const { row, score, matched, tool = toolAt(row) } of ranking.best as (RankedRow & {
    tool?: ToolDef
  })[]) {
    const hit: Hit = { name: tool.name, tool: withOwnFields(tool), score, matched }
    if (options.explain)
      hit.fields = await fieldsOf(hit, words, (view.parts[row] ?? EVERYTHING) === EVERYTHING)
    hits.push(hit)
  }
  return { hits, found: ranking.found }

  async function withRemote(most: number) {
    const { rankRemote, withRemoteRows, isKnownRemote } = await remotes()
    const searches = (await remote?.searches()) ?? []
    const ranked = await withRemoteRows(index, view, terms, searches, searchable)
    const taken = new Set(tools.map(({ name }) => name))
    return rankRemote(
      words,
      ranked,
      row => (isWantedRow(row) ? toolAt(row) : null),
      // Names of other entries come first.
      async tool => !taken.has(tool.name) && isWanted(tool) && isKnownRemote(tool, searchable),
      most,
    )
  }
}

async function fieldsOf(
  { tool, matched }: Hit,
  words: readonly QueryWord[],
  isOpen: boolean,
): Promise<Required<Hit>['fields']> {
  const { body, ...declared } = await textsOf(tool)
  const texts = { ...declared, body: isOpen ? body : '' }
  const found = words.filter(({ word }) => matched.includes(word))
  return Object.fromEntries(found.map(({ word, term }) => [word, fieldWeights(texts, term)]))
}

/**
 * Has a host's function put hits in another order.
 *
 * @throws RERANKER_FAILED
 */
async function reranked(
  rerank: Rerank,
  query: string,
  { hits, found }: SearchResult,
  limit: number,
): Promise<SearchResult> {
  const ordered: unknown = await called(rerank, query, hits)
  const given = new Set<unknown>(hits)
  // Each once: deleting one that is gone fails.
  if (!Array.isArray(ordered) || !ordered.every(hit => given.delete(hit)))
    throw rerankerFailed('did not return an array of hits that it was given, each once')
  return { hits: (ordered as Hit[]).slice(0, limit), found: found - given.size }
}

async function called(rerank: Rerank, query: string, hits: readonly Hit[]): Promise<readonly Hit[]> {
  try {
    return await rerank(query, [...hits])
  } catch (cause) {
    throw rerankerFailed(`threw: ${cause instanceof Error ? cause.message : String(cause)}`, cause)
  }
}

function rerankerFailed(what: string, cause?: unknown): AgentAppsError {
  return new AgentAppsError('RERANKER_FAILED', `The function \`rerank\` of \`search\` ${what}.`, {
    hint: 'It gets the query and an array of hits, and returns an array of these hits in another order.',
    cause,
  })
}
