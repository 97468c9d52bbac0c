import { type Context, ctxTools, type ToolResult } from 'agent-apps'
import { selected, summaryOf } from './tool-summary.js'

export const frontmatter = {
  name: 'skill-list',
  description: 'Lists the tools that can be called: name, description and tags of each.',
  metadata: {
    tags: ['meta-runnable'],
    params: {
      type: 'object',
      properties: {
        tags: { type: 'array', items: { type: 'string' }, description: 'Only tools with all of these tags.' },
        pattern: {
          type: 'string',
          maxLength: 500,
          description: 'Only tools that one of these patterns matches: "db-*", or "#api" for a tag.',
        },
        includeHidden: {
          type: 'boolean',
          default: false,
          description: 'Hidden tools too. An agent is shown none of them.',
        },
        limit: { type: 'integer', minimum: 1, maximum: 1000, default: 100, description: 'At most so many.' },
        offset: { type: 'integer', minimum: 0, default: 0, description: 'How many to pass over.' },
      },
      additionalProperties: false,
    },
  },
}

interface Arguments {
  tags?: string[]
  pattern?: string
  includeHidden: boolean
  limit: number
  offset: number
}

/** Returns short entries; `skill-describe` returns a tool in full. */
export default async function skillList(ctx: Context, args: Arguments): Promise<ToolResult> {
  const { includeHidden, limit, offset } = args
  const all = (await ctxTools(ctx)).filter(tool => includeHidden || tool.frontmatter.visibility !== 'hidden')
  const found = selected(all, args)
  const tools = found.slice(offset, offset + limit).map(tool => ({
    ...summaryOf(tool),
    ...(tool.frontmatter.visibility && { visibility: tool.frontmatter.visibility }),
  }))
  const more = Math.max(0, found.length - offset - tools.length)
  return {
    title: `${found.length} ${found.length === 1 ? 'tool' : 'tools'}`,
    metadata: { found: found.length },
    output: { tools, ...(more > 0 && { more }) },
  }
}
