import { isLibrary } from '../../src/catalog/offered-tool.js'
import { EVERYTHING, rank } from '../../src/search/rank.js'
import { fieldWeights } from '../../src/search/tool-terms.js'
import type { QueryWord } from '../../src/search/words.js'
import { allTools } from '../find/all-tools.js'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { filtersOf, type Hit, readQuery, type SearchOptions, type SearchResult } from './search-query.js'
import { searchUnlisted } from './search-unlisted.js'
import { type Searchable, searchView } from './search-view.js'
import { searchedTools } from './searched-tools.js'
import { textsOf } from './tool-texts.js'

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
  const all = await allTools(globals)
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
  const { tools, index } = await searchedTools(all, options.library === true, globals, terms)
  const view = await searchView(tools, searchable)
  const { best, found } = rank(words, index, view, row => isWanted(tools[row] as ToolDef), limit)
  const hits: Hit[] = []
  for (const { row, score, matched } of best) {
    const tool = tools[row] as ToolDef
    const hit: Hit = { name: tool.name, tool, score, matched }
    if (options.explain) hit.fields = await fieldsOf(hit, words, view.parts[row] === EVERYTHING)
    hits.push(hit)
  }
  return { hits, found }
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
