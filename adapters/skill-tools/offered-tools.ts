import type { Runtime } from 'agent-apps/runtime'
import { isLibraryTool } from '../library-tools.js'
import { CATALOG_BUDGET, modelTools, OFFER_NAMES, type Offer } from './model-tools.js'
import type { OfferOptions } from './offer-options.js'

/**
 * An agent's tools, and the ways to its skills. They are those of now.
 *
 * @throws AGENT_UNKNOWN
 */
export async function offeredTools(runtime: Runtime, options: OfferOptions): Promise<Offer> {
  const { agent: id, policy, select, budget = CATALOG_BUDGET, directory = false } = options
  const names = { ...OFFER_NAMES, ...options.names }
  const whole = runtime.forAgent(id ?? policy)
  const agent = select === undefined ? whole : whole.spawn({ allow: select })
  const listed = await agent.listTools()
  const offered = select === undefined ? listed.filter(tool => !isLibraryTool(tool)) : listed
  const { events } = runtime.globals
  return modelTools({ agent, offered, names, budget, directory, events, searching: whole })
}
