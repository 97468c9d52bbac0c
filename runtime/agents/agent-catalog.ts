import { checkOptions, type OptionTable } from '../../src/base/options.js'
import { catalogOf, type KnownOfTools } from '../../src/catalog/catalog.js'
import {
  type AgentCatalog,
  type AgentCatalogOptions,
  makeRelevant,
  RELEVANT,
} from '../../src/catalog/relevant-skills.js'
import { withOwnFields } from '../find/make-tool.js'
import { plainSourceOf } from '../find/tool-list.js'
import { lazy } from '../host/later.js'
import type { Searchable } from '../search/search-view.js'
import type { ToolDef } from '../state/tool-def.js'

const searches = lazy(() => import('../search/search-tools.js'))

const OPTIONS: OptionTable<'for' | 'relevantBudget'> = { for: 'string', relevantBudget: 'number' }

/** A plain tool of a list is described by its row alone. */
const KNOWN: KnownOfTools<ToolDef> = {
  isPlain: tool => plainSourceOf(tool) !== null,
  isDescribed: tool => plainSourceOf(tool)?.isDescribed ?? tool.frontmatter.description !== undefined,
  placeOf(tool) {
    const source = plainSourceOf(tool)
    return source?.file === undefined ? tool.origin : { entry: source.state.dir, file: source.file }
  },
}

/** The catalog of an agent, and the tools that the words of a user find, if the catalog does not describe them. */
export async function agentCatalog(
  callable: readonly ToolDef[],
  given: AgentCatalogOptions<ToolDef> = {},
  searchable: Searchable,
): Promise<AgentCatalog> {
  const { for: words, relevantBudget, ...options } = given
  checkOptions('catalog', { for: words, relevantBudget }, OPTIONS)
  const { content } = options
  const handedOut = content && { content: (tool: ToolDef) => content(withOwnFields(tool)) }
  const catalog = await catalogOf(callable, { ...options, ...handedOut }, KNOWN)
  if (words === undefined) return { ...catalog, relevant: '', relevantTokens: 0, relevantTools: [] }
  const { format, budget, countTokens, location } = options
  const names = [...catalog.named, ...catalog.unnamed]
  const { searchTools } = await searches()
  const { hits } = await searchTools(words, { names, library: true, limit: RELEVANT.most }, searchable)
  const {
    text,
    tokens,
    described: found,
  } = await makeRelevant(hits, {
    ...{ format, countTokens, location },
    budget: relevantBudget ?? (budget === undefined ? undefined : budget * RELEVANT.share),
  })
  return { ...catalog, relevant: text, relevantTokens: tokens, relevantTools: found }
}
