import { AgentAppsError } from '../../src/base/error.js'
import { checkOptions, type OptionTable } from '../../src/base/options.js'
import { isLibrary } from '../../src/catalog/offered-tool.js'
import { matchPattern } from '../../src/patterns/tool-pattern.js'
import { EVERYTHING, rank } from '../../src/search/rank.js'
import { fieldWeights, type SearchField } from '../../src/search/tool-terms.js'
import { type QueryWord, wordsOfQuery } from '../../src/search/words.js'
import type { ToolKind } from '../../src/skill/frontmatter.js'
import { normalizeTags } from '../../src/skill/names.js'
import type { ToolDef } from '../state/tool-def.js'
import { type Searchable, searchView } from './search-view.js'
import { searchedTools } from './searched-tools.js'
import { textsOf } from './tool-texts.js'

/** Filters for the tools that have the words. Scores depend on none but `library`. */
export interface SearchOptions {
  /** The maximum number of hits. Default: 10. */
  limit?: number | undefined
  /** Only tools with all of these tags. */
  tags?: readonly string[] | undefined
  /** Only tools that one of these patterns selects, separated by spaces: a glob over names, or `#` and one over tags. */
  pattern?: string | undefined
  kind?: ToolKind | undefined
  /** Only tools that do something, or with false only texts to open. */
  runs?: boolean | undefined
  /** Only the tools of these names. */
  names?: readonly string[] | undefined
  /** True: the library's own tools too. Default: false. */
  library?: boolean | undefined
  /** True: each hit has `fields`. Default: false. */
  explain?: boolean | undefined
}

export interface Hit {
  tool: ToolDef
  /** More is better; comparable within one search. 0 where there were no words to search for. */
  score: number
  /** The words of the query that the tool has, as they were asked, in lower case. */
  matched: string[]
  /** The weight of each matched word in each field that has it, before the weights of the fields are put together. */
  fields?: Record<string, Partial<Record<SearchField, number>>>
}

export interface SearchResult {
  /** The best, best first. */
  hits: Hit[]
  /** How many there are without the limit. */
  found: number
}

const DEFAULT_LIMIT = 10
const OPTIONS: OptionTable<keyof SearchOptions> = {
  limit: 'number',
  tags: 'strings',
  pattern: 'string',
  kind: ['folder', 'file', 'code'],
  runs: 'boolean',
  names: 'strings',
  library: 'boolean',
  explain: 'boolean',
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
  checkOptions('search', options, OPTIONS)
  const { limit = DEFAULT_LIMIT } = options
  if (!Number.isInteger(limit) || limit < 0)
    throw new AgentAppsError(
      'OPTIONS_INVALID',
      `"limit" of search must be a whole number from 0, not ${limit}.`,
      {
        hint: 'It is the maximum number of hits.',
      },
    )
  const filters = filtersOf(options)
  const isWanted = (tool: ToolDef): boolean => filters.every(filter => filter(tool))
  const words = wordsOfQuery(String(query))
  if (words.length === 0) {
    const wanted = searchable.known.filter(
      tool => (options.library === true || !isLibrary(tool)) && isWanted(tool),
    )
    return {
      hits: wanted.slice(0, limit).map(tool => ({ tool, score: 0, matched: [] })),
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
    const hit: Hit = { tool, score, matched }
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

function filtersOf({ tags, pattern, kind, runs, names }: SearchOptions): ((tool: ToolDef) => boolean)[] {
  const filters: ((tool: ToolDef) => boolean)[] = []
  for (const tag of normalizeTags(tags ?? [])) filters.push(tool => tool.frontmatter.tags.includes(tag))
  if (pattern !== undefined) {
    const patterns = pattern.split(/\s+/).filter(one => one !== '')
    filters.push(({ name, frontmatter }) => patterns.some(one => matchPattern(one, name, frontmatter.tags)))
  }
  if (kind !== undefined) filters.push(tool => tool.kind === kind)
  if (runs !== undefined) filters.push(tool => tool.runs === runs)
  if (names !== undefined) {
    const wanted = new Set(names)
    filters.push(({ name }) => wanted.has(name))
  }
  return filters
}
