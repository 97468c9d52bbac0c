import type { StructuredTool } from '@langchain/core/tools'
import type { Runtime } from 'agent-apps/runtime'
import { checkOptionsOf } from '../check-options.js'
import { checkOffer } from '../skill-tools/offer-options.js'
import { instructionsFor, offeredTools, type WithheldTool } from '../skill-tools/offered-tools.js'
import { langchainTool } from './langchain-tool.js'
import type { SkillToolsOptions } from './skill-tools-options.js'

/** The options to pass to `createAgent({ model, ...await skillTools(runtime) })`. */
export interface SkillTools {
  tools: StructuredTool[]
  /** The catalog of skills, and with `for` those that it finds. */
  systemPrompt: string
  /** The tools and skills that the model does not get, with advice for a person. LangChain ignores it. */
  withheld: WithheldTool[]
}

/**
 * An agent's tools and skills for LangChain. A snapshot: call it again after skills change.
 *
 * @throws OPTIONS_INVALID; AGENT_UNKNOWN
 */
export async function skillTools(runtime: Runtime, options: SkillToolsOptions = {}): Promise<SkillTools> {
  checkOffer(checkOptionsOf('skillTools'), options, ['for', 'onToolResult'])
  const offer = await offeredTools(runtime, options)
  return {
    tools: [...offer.tools].map(([name, tool]) => langchainTool(name, tool, options)),
    systemPrompt: await instructionsFor(offer, options.for),
    withheld: offer.withheld,
  }
}
