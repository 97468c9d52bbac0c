import { type Context, ctxSearch, ctxTool, isAgentAppsError, type ToolDef, type ToolResult } from 'agent-apps'
import { schemasOf, summaryOf } from './tool-summary.js'

export const frontmatter = {
  name: 'agent-discover',
  description: 'Finds tools for a task by words, tags or patterns, with the arguments that each takes.',
  metadata: {
    tags: ['meta-runnable'],
    params: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'Words of the task, like "pull request review".' },
        tags: { type: 'array', items: { type: 'string' }, description: 'Only tools with all of these tags.' },
        pattern: {
          type: 'string',
          maxLength: 500,
          description: 'Only tools that one of these patterns matches: "db-*", or "#api" for a tag.',
        },
        runs: { type: 'boolean', description: 'Only tools that do something; false: only texts to load.' },
        names: { type: 'array', items: { type: 'string' }, description: 'Only tools of these names.' },
        limit: { type: 'integer', minimum: 1, maximum: 100, default: 10, description: 'At most so many.' },
      },
      additionalProperties: false,
    },
  },
}

interface Arguments {
  query?: string
  tags?: string[]
  pattern?: string
  runs?: boolean
  names?: string[]
  limit: number
}

/** Finds only what an agent may be offered, whoever calls; `skill-list` lists the library's own tools. */
export default async function agentDiscover(ctx: Context, args: Arguments): Promise<ToolResult> {
  const { query = '', ...options } = args
  const { hits, found } = await ctxSearch(ctx, query, options, 'agent')
  const known = await Promise.all(hits.map(({ tool }) => withArguments(tool, ctx)))
  const tools = known.flatMap(tool => (tool ? [{ ...summaryOf(tool), ...schemasOf(tool, ctx) }] : []))
  const more = found - hits.length
  return {
    title: `${found} ${found === 1 ? 'tool' : 'tools'}`,
    metadata: { found },
    output: { tools, ...(more > 0 && { more }) },
  }
}

/** A tool with its arguments, which its code may have to tell; null where that fails, or may not be run. */
async function withArguments(tool: ToolDef, ctx: Context): Promise<ToolDef | null> {
  if (!tool.frontmatter.paramsUnknown) return tool
  try {
    return await ctxTool(ctx, tool.name, false, 'agent')
  } catch (error) {
    if (isAgentAppsError(error)) return null
    throw error
  }
}
