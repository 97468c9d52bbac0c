import { AgentAppsError } from '../../src/base/error.js'
import { checkOptions, type OptionTable } from '../../src/base/options.js'
import { matchPattern } from '../../src/patterns/tool-pattern.js'
import { type QueryWord, wordsOfQuery } from '../../src/search/words.js'
import type { ToolKind } from '../../src/skill/frontmatter.js'
import { normalizeTags } from '../../src/skill/names.js'
import type { Hit } from '../state/search-functions.js'
import type { ToolDef } from '../state/tool-def.js'

/** Filters for the tools that have the words. Without an embedder, scores depend on none but `library`. */
export interface SearchOptions {
  /** The maximum number of hits. Default: 10. */
  limit?: number | undefined
  /** Only tools with all of these tags. */
  tags?: readonly string[] | undefined
  /** Only tools that one of these patterns selects, separated by spaces: a glob over names, or `#` and one over tags. */
  pattern?: string | undefined
  /** Only tools of this kind. */
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

/** The tools that a search found. */
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

/** A query as it is answered: its words, and the options. */
export interface SearchQuery {
  text: string
  words: QueryWord[]
  limit: number
  options: SearchOptions
  /** True where a hit need not meet a condition, and has nothing but its score. */
  isPlain: boolean
}

/**
 * Reads a query with its options.
 *
 * @throws OPTIONS_INVALID
 */
export function readQuery(query: string, options: SearchOptions): SearchQuery {
  if (typeof query !== 'string')
    throw new AgentAppsError('OPTIONS_INVALID', 'The query of search must be a string.', {
      hint: 'Give it the words of a user. An empty string finds all tools.',
    })
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
  const isPlain = Object.entries(options).every(([key, value]) => key === 'limit' || value === undefined)
  return { text: query, words: wordsOfQuery(query), limit, options, isPlain }
}

/** The conditions that a hit must meet. */
export function filtersOf({
  tags,
  pattern,
  kind,
  runs,
  names,
}: SearchOptions): ((tool: ToolDef) => boolean)[] {
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
