import { makeCatalog, makeRelevant, RELEVANT } from 'agent-apps'
import type { AgentRuntime, RunEvents, ToolDef } from 'agent-apps/runtime'
import { modelNames } from '../model-names.js'
import { type ModelTool, modelTool } from './model-tool.js'
import type { OfferNames } from './offer-options.js'
import { DISCOVER, loadTool, readTool, searchTool } from './skill-access.js'

export interface Offer {
  /** The tools by model name. */
  tools: ReadonlyMap<string, ModelTool>
  /** The catalog of skills; empty where there are none. */
  instructions: string
  /** Describes the skills that the words of a user find, if the catalog does not; empty where there are none. */
  relevantTo: (words: string) => Promise<string>
  /** The model names of the tools that run something and have these words, best first. */
  toolsFor: (words: string) => Promise<string[]>
}

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
  searching: AgentRuntime
}

export const OFFER_NAMES: OfferNames = {
  load: 'load-skill',
  read: 'read-skill-resource',
  search: 'search-skills',
}

export const CATALOG_BUDGET = 4000
/** The most names in a schema's `enum`; more would fill the prompt. */
const ENUM_MAX = 100

/** An agent's tools by model name, with the tools that load skills. */
export async function modelTools(wanted: Offered): Promise<Offer> {
  const { agent, offered, names, budget, directory, searching } = wanted
  const running = offered.filter(({ runs }) => runs)
  const skills = offered.filter(({ runs }) => !runs)
  const canSearch = (await searching.findTool(DISCOVER)) !== null
  const catalog = await makeCatalog(skills, {
    budget,
    ...(canSearch && { search: names.search }),
    available: running.map(({ name }) => name),
    library: true,
    content: ({ name }) => contentOf(agent, name),
  })
  const modelNamed = await modelNamesOf(running, wanted)
  const { events } = wanted
  const tools = new Map([...modelNamed].map(([name, tool]) => [name, modelTool(agent, tool, events)]))
  const known = skills.map(({ name }) => name)
  const described = new Set(catalog.described)
  if (known.length > 0) {
    const isListed = known.length <= ENUM_MAX && !skills.some(isDeferred)
    tools.set(names.load, loadTool(agent, isListed ? known : null, names, directory))
    tools.set(names.read, readTool(agent, names))
    const isWhole =
      catalog.unnamed.length === 0 &&
      skills.every(({ name, frontmatter }) => frontmatter.description === undefined || described.has(name))
    if (!isWhole && canSearch)
      tools.set(names.search, searchTool(searching, known, names, searching !== agent))
  }
  const others = known.filter(name => !described.has(name))
  return {
    tools,
    instructions: catalog.text,
    async relevantTo(words) {
      if (others.length === 0) return ''
      const hits = await agent.search(words, { names: others, library: true, limit: RELEVANT.most })
      return (await makeRelevant(hits, { budget: budget * RELEVANT.share })).text
    },
    async toolsFor(words) {
      const named = new Map([...modelNamed].map(([modelName, { name }]) => [name, modelName]))
      const hits = await agent.search(words, {
        names: [...named.keys()],
        library: true,
        limit: RELEVANT.most,
      })
      return hits.flatMap(({ name }) => named.get(name) ?? [])
    },
  }
}

/** True for a skill that is found by search alone. */
function isDeferred({ frontmatter }: ToolDef): boolean {
  return frontmatter.metadata.catalog === 'never'
}

/** The tools that run something, by model name. */
async function modelNamesOf(
  running: readonly ToolDef[],
  { names: { load, read, search }, taken = [] }: Offered,
): Promise<Map<string, ToolDef>> {
  const given = await modelNames(
    running.map(({ name }) => name),
    [load, read, search, ...taken],
  )
  return new Map(running.map(tool => [given.get(tool.name) ?? tool.name, tool]))
}

/** The content of a skill for the prompt, unless opening it needs approval. */
async function contentOf(agent: AgentRuntime, name: string): Promise<string> {
  const { decision, reason } = await agent.authorize(name)
  if (decision !== 'allow') throw new Error(`It is not opened: ${reason}.`)
  return (await agent.open(name)).content
}
