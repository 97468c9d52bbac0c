import type { StructuredTool } from '@langchain/core/tools'
import type { Runtime } from 'agent-apps/runtime'
import { checkOptionsOf } from '../skill-tools/offer-options.js'
import { offeredTools, type WithheldTool } from '../skill-tools/offered-tools.js'
import { langchainTool } from './langchain-tool.js'
import type { SkillToolsOptions } from './skill-tools-options.js'

/** The options to pass to `createAgent({ model, ...await skillTools(runtime) })`. */
export interface SkillTools {
  tools: StructuredTool[]
  /** The catalog of skills. */
  systemPrompt: string
  /** The tools and skills that the model does not get, with what a person does about it. LangChain overlooks it. */
  withheld: WithheldTool[]
}

/**
 * An agent's tools and skills, for LangChain. Call it again where skills may have changed.
 *
 * @throws OPTIONS_INVALID; AGENT_UNKNOWN
 */
export async function skillTools(runtime: Runtime, options: SkillToolsOptions = {}): Promise<SkillTools> {
  checkOptionsOf('skillTools').offer(options, ['onToolResult'])
  const { tools, instructions, withheld } = await offeredTools(runtime, options)
  return {
    tools: [...tools].map(([name, tool]) => langchainTool(name, tool, options)),
    systemPrompt: instructions,
    withheld,
  }
}
