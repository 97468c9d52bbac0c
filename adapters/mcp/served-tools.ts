import type { Tool, ToolAnnotations } from '@modelcontextprotocol/server'
import { type AgentRuntime, matchPattern, type ToolDef } from 'agent-apps'
import { isLibraryTool } from '../library-tools.js'
import { modelNames } from '../model-names.js'
import { readPatterns } from '../read-patterns.js'
import { DISCOVER } from '../skill-tools/skill-access.js'
import { byKey, PAGE, pageOf } from './pages.js'
import { SEARCH_SKILLS } from './search-skills.js'

interface ServedTool {
  name: string
  tool: ToolDef
}

/** The served tools, by names that clients accept. */
export class ServedTools {
  readonly #agent: AgentRuntime
  readonly #patterns: readonly string[] | boolean
  readonly #search: boolean | undefined
  /** The tools of the last listing, by served name. */
  #known: ReadonlyMap<string, ToolDef> = new Map()

  /**
   * @param search whether the skills can be searched; undefined: where there are more of them than a page of the list has
   * @throws OPTIONS_INVALID for an invalid pattern
   */
  constructor(agent: AgentRuntime, patterns: boolean | string | readonly string[], search?: boolean) {
    this.#agent = agent
    this.#search = search
    this.#patterns = typeof patterns === 'boolean' ? patterns : readPatterns(patterns)
  }

  /** All tools that the agent is offered, served or not. */
  async visible(): Promise<ToolDef[]> {
    return (await this.#agent.offer()).tools
  }

  /** The served tools, sorted by name. */
  async list(visible?: readonly ToolDef[]): Promise<ServedTool[]> {
    const tools = (visible ?? (await this.visible())).filter(tool => this.#isServed(tool))
    const byName = new Map(tools.map(tool => [tool.name, tool]))
    const reserved = (await this.#isSearched(tools)) ? [SEARCH_SKILLS.name] : []
    const served = [...(await modelNames([...byName.keys()], reserved))].map(([own, name]) => ({
      name,
      tool: byName.get(own) as ToolDef,
    }))
    this.#known = new Map(served.map(({ name, tool }) => [name, tool]))
    return served.sort(byKey(({ name }) => name))
  }

  async page(cursor: string | undefined): Promise<{ tools: Tool[]; nextCursor?: string }> {
    const served = await this.list()
    const isSearched = await this.#isSearched(served.map(({ tool }) => tool))
    const all = [...served, ...(isSearched ? [SEARCH_SKILLS] : [])].sort(byKey(({ name }) => name))
    const { items, ...more } = pageOf(all, ({ name }) => name, cursor)
    return { tools: items.map(item => ('tool' in item ? describeTool(item) : item)), ...more }
  }

  /** The tool with a served name; undefined if there is none. The call itself decides whether it is allowed. */
  async find(name: string): Promise<ToolDef | undefined> {
    if (!this.#known.has(name)) await this.list()
    return this.#known.get(name)
  }

  /** The skills that `search-skills` finds; null where that is not served. */
  async searched(): Promise<ServedTool[] | null> {
    const served = await this.list()
    return (await this.#isSearched(served.map(({ tool }) => tool)))
      ? served.filter(({ tool }) => !tool.runs)
      : null
  }

  async #isSearched(tools: readonly ToolDef[]): Promise<boolean> {
    const isMany = tools.filter(({ runs }) => !runs).length > PAGE
    return (this.#search ?? isMany) && (await this.#agent.findTool(DISCOVER)) !== null
  }

  #isServed(tool: ToolDef): boolean {
    if (typeof this.#patterns === 'boolean') return this.#patterns && !isLibraryTool(tool)
    return this.#patterns.some(pattern => matchPattern(pattern, tool.name, tool.frontmatter.tags))
  }
}

function describeTool({ name, tool }: ServedTool): Tool {
  const { title, description, params } = tool.frontmatter
  const outputSchema = outputSchemaOf(tool)
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema: { ...params, type: 'object' },
    ...(outputSchema && { outputSchema }),
    ...(annotationsOf(tool) && { annotations: annotationsOf(tool) }),
  } as Tool
}

/** The schema of a tool's results. A text skill has none: its `returns` describes what its reader returns. */
export function outputSchemaOf({ runs, frontmatter }: ToolDef): Record<string, unknown> | undefined {
  return runs ? frontmatter.returns : undefined
}

/** The annotations of a tool, from its declared `permissions`. Undefined for code that declares none. */
function annotationsOf({ runs, frontmatter }: ToolDef): ToolAnnotations | undefined {
  const { permissions } = frontmatter.metadata
  if (permissions === undefined && runs) return undefined
  const declared = wordsIn(permissions)
  const changes = declared.has('write') || declared.has('execute')
  return {
    readOnlyHint: !changes && !declared.has('network'),
    destructiveHint: changes,
    openWorldHint: declared.has('network') || declared.has('execute'),
  }
}

/** The words of `permissions`, required or optional. Invalid ones keep the tool from running at all. */
function wordsIn(permissions: unknown): Set<unknown> {
  if (typeof permissions !== 'object' || permissions === null) return new Set()
  const { required, optional } = permissions as { required?: unknown; optional?: unknown }
  return new Set([required, optional].flat())
}
