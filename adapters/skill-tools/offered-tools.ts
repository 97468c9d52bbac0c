import { makeCatalog } from 'agent-apps'
import type { AgentRuntime, Runtime, ToolDef } from 'agent-apps/runtime'
import { modelNames } from '../model-names.js'
import { type ModelTool, modelTool } from './model-tool.js'
import type { OfferNames, OfferOptions } from './offer-options.js'
import { DISCOVER, loadTool, readTool, searchTool } from './skill-access.js'

/** What a model is offered. */
export interface Offer {
  /** What it calls, by names that models take. */
  tools: ReadonlyMap<string, ModelTool>
  /** The catalog of skills; empty where there are none. */
  instructions: string
}

const BUDGET = 4000

/**
 * An agent's tools, and the ways to its skills. They are those of now.
 *
 * @throws AGENT_UNKNOWN
 */
export async function offeredTools(runtime: Runtime, options: OfferOptions): Promise<Offer> {
  const { agent: id, policy, select, budget = BUDGET, directory = false } = options
  const names = { load: 'load-skill', read: 'read-skill-resource', search: 'search-skills', ...options.names }
  const whole = runtime.forAgent(id ?? policy)
  const agent = select === undefined ? whole : whole.spawn({ allow: select })
  const listed = await agent.listTools()
  const offered = select === undefined ? listed.filter(tool => !isLibrary(tool)) : listed
  const running = offered.filter(({ runs }) => runs)
  const skills = offered.filter(({ runs }) => !runs)
  const catalog = await makeCatalog(skills, {
    budget,
    available: running.map(({ name }) => name),
    library: true,
    content: ({ name }) => contentOf(agent, name),
  })
  const tools = await ownTools(runtime, agent, running, names)
  const known = skills.map(({ name }) => name)
  if (known.length > 0) {
    tools.set(names.load, loadTool(agent, known, names, directory))
    tools.set(names.read, readTool(agent, names))
    const isWhole = catalog.named.length + catalog.unnamed.length === 0
    if (!isWhole && (await whole.findTool(DISCOVER))) tools.set(names.search, searchTool(whole, known, names))
  }
  return { tools, instructions: catalog.text }
}

/** The tools that do something, under names that models take. */
async function ownTools(
  { globals }: Runtime,
  agent: AgentRuntime,
  running: readonly ToolDef[],
  { load, read, search }: OfferNames,
): Promise<Map<string, ModelTool>> {
  const given = await modelNames(
    running.map(({ name }) => name),
    [load, read, search],
  )
  return new Map(
    running.map(tool => [given.get(tool.name) ?? tool.name, modelTool(agent, tool, globals.events)]),
  )
}

/** The content of a skill that belongs in the prompt, unless somebody would have to be asked for it. */
async function contentOf(agent: AgentRuntime, name: string): Promise<string> {
  const { decision, reason } = await agent.authorize(name)
  if (decision !== 'allow') throw new Error(`It is not opened: ${reason}.`)
  return (await agent.open(name)).content
}

/** True for the library's own tools. The layer counts too, as any index could claim the tag. */
function isLibrary({ origin, frontmatter: { tags } }: ToolDef): boolean {
  return origin.layer === 'bundled' && tags.includes('meta-internal')
}
