import { isLibrary } from '../../src/catalog/offered-tool.js'
import type { TermIndex } from '../../src/search/postings.js'
import { EVERYTHING, type RankedRow, rank, type SearchView } from '../../src/search/rank.js'
import { fieldWeights } from '../../src/search/tool-terms.js'
import type { QueryWord } from '../../src/search/words.js'
import { allTools, localTools } from '../find/all-tools.js'
import { lazy } from '../host/later.js'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import type { RankedTool } from './remote-rows.js'
import { filtersOf, type Hit, readQuery, type SearchOptions, type SearchResult } from './search-query.js'
import { searchUnlisted } from './search-unlisted.js'
import { type Searchable, searchView } from './search-view.js'
import { searchedTools } from './searched-tools.js'
import { textsOf } from './tool-texts.js'

const remotes = lazy(() => import('./remote-rows.js'))

/**
 * Finds tools by words for code, which knows all of them.
 *
 * @throws OPTIONS_INVALID
 */
export async function searchAll(
  query: string,
  options: SearchOptions = {},
  globals: Globals,
): Promise<SearchResult> {
  const { words, limit, isFiltered } = readQuery(query, options)
  const found = isFiltered ? null : await searchUnlisted(words, limit, globals)
  if (found) return found
  // With words, remote tools are found by their search files.
  const all = await (words.length > 0 ? localTools : allTools)(globals)
  return searchTools(query, options, { globals, all, known: all })
}

/**
 * Finds tools by words, the best first. An empty query finds all, in the order of the list.
 *
 * @throws OPTIONS_INVALID
 */
export async function searchTools(
  query: string,
  options: SearchOptions = {},
  searchable: Searchable,
): Promise<SearchResult> {
  const { words, limit } = readQuery(query, options)
  const filters = filtersOf(options)
  const isWanted = (tool: ToolDef): boolean => filters.every(filter => filter(tool))
  if (words.length === 0) {
    const wanted = searchable.known.filter(
      tool => (options.library === true || !isLibrary(tool)) && isWanted(tool),
    )
    return {
      hits: wanted.slice(0, limit).map(tool => ({ name: tool.name, tool, score: 0, matched: [] })),
      found: wanted.length,
    }
  }
  const terms = words.map(({ term }) => term)
  const { all, globals } = searchable
  const listed = globals.remote ? all.filter(({ published }) => !published) : all
  const { tools, index } = await searchedTools(listed, options.library === true, globals, terms)
  const view = await searchView(tools, searchable)
  const toolAt = (row: number): ToolDef => tools[row] as ToolDef
  const { best, found } = globals.remote
    ? await withRemote(index, view)
    : rank(words, index, view, row => isWanted(toolAt(row)), limit)
  const hits: Hit[] = []
  for (const { row, score, matched, tool = toolAt(row) } of best as (RankedRow & { tool?: ToolDef })[]) {
    const hit: Hit = { name: tool.name, tool, score, matched }
    if (options.explain)
      hit.fields = await fieldsOf(hit, words, (view.parts[row] ?? EVERYTHING) === EVERYTHING)
    hits.push(hit)
  }
  return { hits, found }

  async function withRemote(
    index: TermIndex,
    view: SearchView,
  ): Promise<{ best: RankedTool[]; found: number }> {
    const { rankRemote, withRemoteRows, isKnownRemote } = await remotes()
    const searches = (await globals.remote?.searches()) ?? []
    const ranked = await withRemoteRows(index, view, terms, searches)
    const taken = new Set(tools.map(({ name }) => name))
    return rankRemote(
      words,
      ranked,
      row => (isWanted(toolAt(row)) ? toolAt(row) : null),
      // Names of other entries come first.
      async tool => !taken.has(tool.name) && isWanted(tool) && isKnownRemote(tool, searchable),
      limit,
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
