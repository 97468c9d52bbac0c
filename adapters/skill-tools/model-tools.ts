import { makeCatalog } from 'agent-apps'
import type { AgentRuntime, RunEvents, ToolDef } from 'agent-apps/runtime'
import { modelNames } from '../model-names.js'
import { type ModelTool, modelTool } from './model-tool.js'
import type { OfferNames } from './offer-options.js'
import { DISCOVER, loadTool, readTool, searchTool } from './skill-access.js'

/** The tools and the catalog for a model. */
export interface Offer {
  /** The tools by model name. */
  tools: ReadonlyMap<string, ModelTool>
  /** The catalog of skills; empty where there are none. */
  instructions: string
}

/** The input of `modelTools`. */
export interface Offered {
  agent: AgentRuntime
  /** The agent's tools and skills for the model. */
  offered: readonly ToolDef[]
  names: OfferNames
  /** Other names that are taken. */
  taken?: readonly string[]
  /** The most tokens that the catalog may have. */
  budget: number
  /** True to tell a model the folder of a loaded skill. */
  directory: boolean
  /** The events of the tools' progress. */
  events?: RunEvents
  /** The agent that searches for skills. */
  searching: AgentRuntime
}

export const OFFER_NAMES: OfferNames = {
  load: 'load-skill',
  read: 'read-skill-resource',
  search: 'search-skills',
}

export const CATALOG_BUDGET = 4000

/** An agent's tools by model name, with the tools that load skills. */
export async function modelTools(wanted: Offered): Promise<Offer> {
  const { agent, offered, names, budget, directory, searching } = wanted
  const running = offered.filter(({ runs }) => runs)
  const skills = offered.filter(({ runs }) => !runs)
  const catalog = await makeCatalog(skills, {
    budget,
    available: running.map(({ name }) => name),
    library: true,
    content: ({ name }) => contentOf(agent, name),
  })
  const tools = await runningTools(running, wanted)
  const known = skills.map(({ name }) => name)
  if (known.length > 0) {
    tools.set(names.load, loadTool(agent, known, names, directory))
    tools.set(names.read, readTool(agent, names))
    // A search finds only descriptions.
    const short = new Set([...catalog.named, ...catalog.unnamed])
    const isWhole = skills.every(
      ({ name, frontmatter }) => frontmatter.description === undefined || !short.has(name),
    )
    if (!isWhole && (await searching.findTool(DISCOVER)))
      tools.set(names.search, searchTool(searching, known, names, searching !== agent))
  }
  return { tools, instructions: catalog.text }
}

/** The tools that run code, by model name. */
async function runningTools(
  running: readonly ToolDef[],
  { agent, names: { load, read, search }, taken = [], events }: Offered,
): Promise<Map<string, ModelTool>> {
  const given = await modelNames(
    running.map(({ name }) => name),
    [load, read, search, ...taken],
  )
  return new Map(running.map(tool => [given.get(tool.name) ?? tool.name, modelTool(agent, tool, events)]))
}

/** The content of a skill for the prompt, unless opening it needs approval. */
async function contentOf(agent: AgentRuntime, name: string): Promise<string> {
  const { decision, reason } = await agent.authorize(name)
  if (decision !== 'allow') throw new Error(`It is not opened: ${reason}.`)
  return (await agent.open(name)).content
}
