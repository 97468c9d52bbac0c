import { isAgentAppsError } from '../../src/base/error.js'
import type { JsonObject } from '../../src/base/json.js'
import { haveSameItems } from '../../src/base/same-items.js'
import { isLibrary } from '../../src/catalog/offered-tool.js'
import type { OpenIndex } from '../../src/index/read-index.js'
import { joinIndexes, type TermIndex } from '../../src/search/postings.js'
import { isTextSearched, searchedTexts } from '../../src/search/searched-texts.js'
import { TermStore } from '../../src/search/term-store.js'
import { type SearchedTexts, type ToolTerms, toolTerms } from '../../src/search/tool-terms.js'
import type { Globals } from '../state/context.js'
import type { DirectoryState } from '../state/directory-state.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'
import { askSearch, type IndexSearch, indexSearch } from './index-search.js'

/** Some tools, and the postings of their terms, whose rows are the tools' places. */
export interface SearchedTools {
  tools: readonly ToolDef[]
  index: TermIndex
}

/** The tools of the last search, and those of whose metadata running their code may tell more, with what they had. */
interface Kept extends SearchedTools {
  /** The list that they were taken from. */
  list: readonly ToolDef[]
  library: boolean
  searches: readonly IndexSearch[]
  dynamic: readonly { tool: ToolDef; metadata: JsonObject }[]
}

const kept = new WeakMap<Globals, Kept>()

/**
 * The tools of a runtime with their terms: of an index that has a search file, those in it; of all others, terms made on the
 * spot. Those that were searched before are not read again.
 *
 * @param list all tools
 * @param library false to leave out the library's own: how many a project has of them must not change scores
 * @param terms those that will be looked up
 */
export async function searchedTools(
  list: readonly ToolDef[],
  library: boolean,
  globals: Globals,
  terms: readonly string[],
): Promise<SearchedTools> {
  for (;;) {
    const last = kept.get(globals)
    const isSame = last?.library === library && areSame(list, last)
    const searched = isSame ? last : await indexTools(list, library, globals)
    kept.set(globals, searched)
    if (await areLoaded(searched.searches, terms, globals)) return searched
    kept.delete(globals)
  }
}

/** Loads terms of search files. False where the index of one of them was refused or replaced. */
async function areLoaded(
  searches: readonly IndexSearch[],
  terms: readonly string[],
  globals: Globals,
): Promise<boolean> {
  for (const search of searches) {
    const isLoaded = await askSearch(search, globals, file => file.load(terms).then(() => true))
    if (!isLoaded) return false
  }
  return true
}

function areSame(list: readonly ToolDef[], last: Kept): boolean {
  return (
    haveSameItems(list, last.list) &&
    last.dynamic.every(({ tool, metadata }) => tool.frontmatter.metadata === metadata)
  )
}

async function indexTools(list: readonly ToolDef[], library: boolean, globals: Globals): Promise<Kept> {
  const tools = list.filter(tool => library || !isLibrary(tool))
  const others = new Map(tools.entries())
  const rowsOf = new Map<IndexSearch, Int32Array>()
  for (const [names, { state, byName }] of rowsByIndex(tools)) {
    const search = await indexSearch(state, names, globals)
    const inFile = search && (await askSearch(search, globals, file => file.names()))
    if (!search || !inFile) continue
    const rowOf = Int32Array.from(inFile, name => byName.get(name) ?? -1)
    for (const row of rowOf) others.delete(row)
    rowsOf.set(search, rowOf)
  }
  const store = new TermStore()
  const terms = await Promise.all([...others.values()].map(termsOf))
  const stored = new Map(
    [...others.keys()].map((row, number) => [row, store.add(terms[number] as ToolTerms)]),
  )
  const made = store.index(tools.map((_, row) => stored.get(row) ?? null))
  const indexes = [made, ...[...rowsOf].map(([{ file }, rowOf]) => file.index(rowOf))]
  const dynamic = tools
    .filter(tool => sourceOf(tool)?.record.dynamic)
    .map(tool => ({ tool, metadata: tool.frontmatter.metadata }))
  const index = joinIndexes(indexes)
  return { tools, index, searches: [...rowsOf.keys()], dynamic, list, library }
}

/** The rows of the tools that are from each index, by name. */
function rowsByIndex(
  tools: readonly ToolDef[],
): Map<OpenIndex, { state: DirectoryState; byName: Map<string, number> }> {
  const indexes = new Map<OpenIndex, { state: DirectoryState; byName: Map<string, number> }>()
  for (const [row, tool] of tools.entries()) {
    const source = sourceOf(tool)
    if (!source || !('header' in source.names)) continue
    const names = source.names as OpenIndex
    const rows = indexes.get(names) ?? { state: source.state, byName: new Map<string, number>() }
    rows.byName.set(tool.name, row)
    indexes.set(names, rows)
  }
  return indexes
}

const known = new WeakMap<ToolDef, { metadata: JsonObject; terms: ToolTerms }>()

async function termsOf(tool: ToolDef): Promise<ToolTerms> {
  const { metadata } = tool.frontmatter
  const before = known.get(tool)
  if (before?.metadata === metadata) return before.terms
  const terms = toolTerms(await textsOf(tool))
  known.set(tool, { metadata, terms })
  return terms
}

/** The texts of a tool that a search looks at. That of a server's would have to be fetched, and is not among them. */
export async function textsOf(tool: ToolDef): Promise<SearchedTexts> {
  return searchedTexts(tool.frontmatter, await bodyOf(tool))
}

/** A text that cannot be read, or no longer, tells nothing: a call of the tool says why. */
async function bodyOf({ content, origin, frontmatter }: ToolDef): Promise<string> {
  if (!content || origin.layer === 'remote' || !isTextSearched(frontmatter)) return ''
  try {
    return await content()
  } catch (error) {
    if (isAgentAppsError(error)) return ''
    throw error
  }
}
