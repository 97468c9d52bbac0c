import { checkOptions, type OptionTable } from '../../src/base/options.js'
import { makeCatalog } from '../../src/catalog/catalog.js'
import {
  type AgentCatalog,
  type AgentCatalogOptions,
  makeRelevant,
} from '../../src/catalog/relevant-skills.js'
import { lazy } from '../host/later.js'
import type { Searchable } from '../search/search-view.js'
import type { ToolDef } from '../state/tool-def.js'

const searches = lazy(() => import('../search/search-tools.js'))

const OPTIONS: OptionTable<'for' | 'relevantBudget'> = { for: 'string', relevantBudget: 'number' }
/** The share of the budget that `relevant` may have besides. */
const SHARE = 1 / 4
/** The most tools that are looked at for `relevant`. */
const FOUND_MAX = 20

/** The catalog of an agent, and the tools that the words of a user find, if the catalog does not describe them. */
export async function agentCatalog(
  callable: readonly ToolDef[],
  given: AgentCatalogOptions<ToolDef> = {},
  searchable: Searchable,
): Promise<AgentCatalog> {
  const { for: words, relevantBudget, ...options } = given
  checkOptions('catalog', { for: words, relevantBudget }, OPTIONS)
  const catalog = await makeCatalog(callable, options)
  if (words === undefined) return { ...catalog, relevant: '', relevantTokens: 0, relevantTools: [] }
  const { format, budget, countTokens, location } = options
  const names = [...catalog.named, ...catalog.unnamed]
  const { searchTools } = await searches()
  const { hits } = await searchTools(words, { names, library: true, limit: FOUND_MAX }, searchable)
  const {
    text,
    tokens,
    described: found,
  } = await makeRelevant(hits, {
    ...{ format, countTokens, location },
    budget: relevantBudget ?? (budget === undefined ? undefined : budget * SHARE),
  })
  return { ...catalog, relevant: text, relevantTokens: tokens, relevantTools: found }
}
