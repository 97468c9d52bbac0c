import type { Tool, ToolAnnotations } from '@modelcontextprotocol/server'
import { type AgentRuntime, matchPattern, type ToolDef } from 'agent-apps'
import { isLibraryTool } from '../library-tools.js'
import { modelNames } from '../model-names.js'
import { readPatterns } from '../read-patterns.js'
import { byKey, pageOf } from './pages.js'

/** A tool with the name that it is served by. */
export interface ServedTool {
  name: string
  tool: ToolDef
}

/** The tools that are served, by names that clients accept. */
export class ServedTools {
  readonly #agent: AgentRuntime
  readonly #patterns: readonly string[] | boolean
  /** Those that were listed last, by the names that they were served by. */
  #known: ReadonlyMap<string, ToolDef> = new Map()

  /** @throws OPTIONS_INVALID for what is not a pattern */
  constructor(agent: AgentRuntime, patterns: boolean | string | readonly string[]) {
    this.#agent = agent
    this.#patterns = typeof patterns === 'boolean' ? patterns : readPatterns(patterns)
  }

  /** All that the agent may know of, whether or not they are served as tools. */
  async visible(): Promise<ToolDef[]> {
    return (await this.#agent.offer()).tools
  }

  /** The tools that are served, sorted by name. */
  async list(visible?: readonly ToolDef[]): Promise<ServedTool[]> {
    const tools = (visible ?? (await this.visible())).filter(tool => this.#isServed(tool))
    const byName = new Map(tools.map(tool => [tool.name, tool]))
    const served = [...(await modelNames([...byName.keys()], []))].map(([own, name]) => ({
      name,
      tool: byName.get(own) as ToolDef,
    }))
    this.#known = new Map(served.map(({ name, tool }) => [name, tool]))
    return served.sort(byKey(({ name }) => name))
  }

  async page(cursor: string | undefined): Promise<{ tools: Tool[]; nextCursor?: string }> {
    const { items, ...more } = pageOf(await this.list(), ({ name }) => name, cursor)
    return { tools: items.map(describeTool), ...more }
  }

  /** The tool of a name; undefined where none is served by it. Whether it may be called is decided by the call. */
  async find(name: string): Promise<ToolDef | undefined> {
    if (!this.#known.has(name)) await this.list()
    return this.#known.get(name)
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

/** The schema of a tool's results. A text has none: its `returns` is about what its reader makes of it. */
export function outputSchemaOf({ runs, frontmatter }: ToolDef): Record<string, unknown> | undefined {
  return runs ? frontmatter.returns : undefined
}

/** The annotations of a tool, from the `permissions` that it declares. Undefined for code that declares none. */
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

/** The words of `permissions`, required or optional. One that cannot be read keeps the tool from running at all. */
function wordsIn(permissions: unknown): Set<unknown> {
  if (typeof permissions !== 'object' || permissions === null) return new Set()
  const { required, optional } = permissions as { required?: unknown; optional?: unknown }
  return new Set([required, optional].flat())
}
