import { AgentAppsError, runtimeClosed } from '../../src/base/error.js'
import { type IndexHeader, isBroken } from '../../src/index/index-format.js'
import { joinIndexes, type TermIndex } from '../../src/search/postings.js'
import { EVERYTHING, rank, type SearchView, searchViewOf } from '../../src/search/rank.js'
import type { SearchFile } from '../../src/search/search-file.js'
import { askIndex, currentIndex, directoryStates } from '../directory/look-up.js'
import { allTools, localTools } from '../find/all-tools.js'
import { toolOf } from '../find/make-tool.js'
import { lazy } from '../host/later.js'
import type { Globals } from '../state/context.js'
import type { DirectoryState } from '../state/directory-state.js'
import type { Hit } from '../state/search-functions.js'
import type { ToolDef } from '../state/tool-def.js'
import { askSearch, indexSearch } from './index-search.js'
import { readQuery, type SearchOptions, type SearchQuery, type SearchResult } from './search-query.js'

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

/**
 * Searches for code by the search file alone, so that a process that only searches lists nothing: it reads the names of the hits, and
 * the record of each when its `tool` is read.
 *
 * @returns null where only a list says which tools there are
 */
async function searchUnlisted({ words, limit }: SearchQuery, globals: Globals): Promise<SearchResult | null> {
  if (globals.configure) await globals.configure()
  if (globals.closed) throw runtimeClosed()
  const state = onlyDirectory(globals)
  const names = state && currentIndex(state, globals)
  if (!state || !names || hasNamespaces(names.header)) return null
  const search = await indexSearch(state, names, globals)
  return (
    search &&
    askSearch(search, globals, async file => {
      await file.load(words.map(({ term }) => term))
      const { index, view } = searchedIn(file)
      const { best, found } = rank(words, index, view, () => true, limit)
      const hits: Hit[] = []
      for (const { row, score, matched } of best) {
        const name = await file.name(row)
        hits.push({
          name,
          get tool() {
            return toolIn(state, name, globals)
          },
          score,
          matched,
        })
      }
      return { hits, found }
    })
  )
}

/** The one directory whose tools are all that a list would have; null where there are others, or some may be left out. */
function onlyDirectory(globals: Globals): DirectoryState | null {
  const { config, tools, lifecycle, bundle, remote } = globals
  if (config.freshness !== 'trust' || tools.programmaticTools.size > 0) return null
  if (lifecycle || bundle || remote) return null
  // The library's own tools do not count, and locating it takes long.
  const [state, ...others] = directoryStates({ ...globals, config: { ...config, library: false } })
  return others.length === 0 ? (state ?? null) : null
}

/** True where tools may be copies of each other. */
function hasNamespaces({ namespace, units = [] }: IndexHeader): boolean {
  return namespace !== undefined || units.some(unit => unit.namespace !== undefined)
}

const searched = new WeakMap<SearchFile, { index: TermIndex; view: SearchView }>()

function searchedIn(file: SearchFile): { index: TermIndex; view: SearchView } {
  const known = searched.get(file)
  if (known) return known
  const { rows, tools } = file
  const index = joinIndexes([file.index(new Int32Array(rows).map((_, row) => row))])
  // A broken tool has no terms, and does not count.
  const view = { ...searchViewOf(new Uint8Array(rows).fill(EVERYTHING)), count: tools }
  searched.set(file, { index, view })
  return { index, view }
}

function toolIn(state: DirectoryState, name: string, globals: Globals): ToolDef {
  const tool = askIndex(state, globals, names => {
    const record = names.tool(name, true)
    return record && !isBroken(record) ? toolOf({ state, names, record }, globals) : null
  })
  if (tool) return tool
  throw new AgentAppsError('TOOL_NOT_FOUND', `"${name}" is no longer in the index that was searched.`, {
    hint: 'Search again.',
    tool: name,
  })
}
