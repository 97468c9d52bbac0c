import { type Catalog, makeCatalog } from 'agent-apps'
import type { AgentRuntime, RunEvents, ToolDef } from 'agent-apps/runtime'
import { modelNames } from '../model-names.js'
import type { ModelTool } from './ai-tool.js'
import { DISCOVER, loadTool, readTool, searchTool } from './skill-access.js'
import type { SkillToolNames } from './skill-tools-options.js'
import { modelTool } from './to-ai-tool.js'

/** What a model is given of an agent. */
export interface ModelTools {
  /** What it may call, by the names that it knows them by. */
  tools: Map<string, ModelTool>
  /** The skills that it may load. */
  catalog: Catalog
}

export interface Offered {
  agent: AgentRuntime
  /** Those of its tools and skills that the model is to have. */
  offered: readonly ToolDef[]
  names: SkillToolNames
  /** Other names that are taken. */
  taken?: readonly string[]
  /** The most tokens that the catalog may have. */
  budget: number
  /** Whether a model that loads a skill is told its folder. */
  directory: boolean
  /** From where the tools' progress is reported, if at all. */
  events?: RunEvents
  /** The agent that may search for skills. */
  searching: AgentRuntime
}

export const SKILL_TOOL_NAMES: SkillToolNames = {
  load: 'load-skill',
  read: 'read-skill-resource',
  search: 'search-skills',
}

export const CATALOG_BUDGET = 4000

/** An agent's tools under names that models take, and what leads to its skills. */
export async function modelTools({
  agent,
  offered,
  names,
  taken = [],
  budget,
  directory,
  events,
  searching,
}: Offered): Promise<ModelTools> {
  const { load, read, search } = names
  const running = offered.filter(({ runs }) => runs)
  const skills = offered.filter(({ runs }) => !runs)
  const catalog = await makeCatalog(skills, {
    budget,
    available: running.map(({ name }) => name),
    library: true,
    content: ({ name }) => contentOf(agent, name),
  })
  const given = await modelNames(
    running.map(({ name }) => name),
    [load, read, search, ...taken],
  )
  const tools = new Map(
    running.map(tool => [given.get(tool.name) ?? tool.name, modelTool(agent, tool, events)]),
  )
  const known = skills.map(({ name }) => name)
  if (known.length > 0) {
    tools.set(load, loadTool(agent, known, names, directory))
    tools.set(read, readTool(agent, names))
    const isWhole = catalog.named.length + catalog.unnamed.length === 0
    if (!isWhole && (await searching.findTool(DISCOVER)))
      tools.set(search, searchTool(searching, known, names))
  }
  return { tools, catalog }
}

/** The content of a skill that belongs in the prompt, unless somebody would have to be asked for it. */
async function contentOf(agent: AgentRuntime, name: string): Promise<string> {
  const { decision, reason } = await agent.authorize(name)
  if (decision !== 'allow') throw new Error(`It is not opened: ${reason}.`)
  return (await agent.open(name)).content
}

/** True for the library's own tools. The layer counts too, as any index could claim the tag. */
export function isLibrary({ origin, frontmatter: { tags } }: ToolDef): boolean {
  return origin.layer === 'bundled' && tags.includes('meta-internal')
}
