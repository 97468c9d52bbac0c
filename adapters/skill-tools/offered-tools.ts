import { matchPattern } from 'agent-apps'
import type { Runtime, ToolDef } from 'agent-apps/runtime'
import { isLibraryTool } from '../library-tools.js'
import { readPatterns } from '../read-patterns.js'
import { CATALOG_BUDGET, modelTools, OFFER_NAMES, type Offer } from './model-tools.js'
import type { OfferOptions } from './offer-options.js'

/** A tool or skill that a model does not get, although `select` does not leave it out. */
export interface WithheldTool {
  name: string
  /** The reason, as a sentence. */
  why: string
  /** Advice on how to grant it. */
  grant: string
}

/**
 * A snapshot of an agent's tools and skills.
 *
 * @throws AGENT_UNKNOWN
 */
export async function offeredTools(
  runtime: Runtime,
  options: OfferOptions,
): Promise<Offer & { withheld: WithheldTool[] }> {
  const { agent: id, policy, select, budget = CATALOG_BUDGET, directory = false } = options
  const names = { ...OFFER_NAMES, ...options.names }
  const whole = runtime.forAgent(id ?? policy)
  const agent = select === undefined ? whole : whole.spawn({ allow: select })
  const { tools, ...offer } = await agent.offer()
  // Tools that `select` leaves out are not withheld.
  const { withheld } = agent === whole ? offer : await whole.offer()
  const isWanted = select === undefined ? (tool: ToolDef) => !isLibraryTool(tool) : selectedBy(select)
  const offered = select === undefined ? tools.filter(isWanted) : tools
  const { events } = runtime.globals
  return {
    ...(await modelTools({ agent, offered, names, budget, directory, events, searching: whole })),
    withheld: withheld
      .filter(({ tool }) => isWanted(tool))
      .map(({ tool, why, grant }) => ({ name: tool.name, why, grant })),
  }
}

/** The catalog, and behind it the skills that the words of a user find. */
export async function instructionsFor(
  { instructions, relevantTo }: Offer,
  words: string | undefined,
): Promise<string> {
  const relevant = words === undefined ? '' : await relevantTo(words)
  return [instructions, relevant].filter(text => text !== '').join('\n')
}

function selectedBy(select: string | readonly string[]): (tool: ToolDef) => boolean {
  const patterns = readPatterns(select)
  return ({ name, frontmatter }) => patterns.some(pattern => matchPattern(pattern, name, frontmatter.tags))
}
