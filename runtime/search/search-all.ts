import { allTools, localTools } from '../find/all-tools.js'
import { lazy } from '../host/later.js'
import type { Globals } from '../state/context.js'
import type { Hit } from '../state/search-functions.js'
import { readQuery, type SearchOptions, type SearchResult } from './search-query.js'
import { searchUnlisted } from './search-unlisted.js'

// A search that an index alone can answer does not load this.
const searches = lazy(() => import('./search-tools.js'))

/** Finds tools for `runtime.search`. */
export async function search(globals: Globals, query: string, options?: SearchOptions): Promise<Hit[]> {
  return (await searchAll(query, options, globals)).hits
}

/**
 * Finds tools by words for code, which knows all of them.
 *
 * @throws OPTIONS_INVALID, EMBEDDER_FAILED, RERANKER_FAILED
 */
export async function searchAll(
  text: string,
  options: SearchOptions = {},
  globals: Globals,
): Promise<SearchResult> {
  const query = readQuery(text, options)
  const isBare = query.isPlain && query.words.length > 0 && !globals.search
  const found = isBare ? await searchUnlisted(query, globals) : null
  if (found) return found
  // With words, remote tools are found by their search files.
  const all = await (query.words.length > 0 ? localTools : allTools)(globals)
  return (await searches()).searchFor(query, { globals, all, known: all })
}
