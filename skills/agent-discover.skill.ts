import { type Context, ctxTool, ctxTools, isAgentAppsError, type ToolDef, type ToolResult } from 'agent-apps'
import { isLibrary, schemasOf, selected, summaryOf } from './tool-summary.js'

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
          description: 'Only tools that one of these patterns matches: "db-*", or "#api" for a tag.',
        },
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
  limit: number
}

/** Finds only what an agent may be offered, whoever calls; `skill-list` lists the library's own tools. */
export default async function agentDiscover(ctx: Context, args: Arguments): Promise<ToolResult> {
  const offered = (await ctxTools(ctx, 'agent')).filter(tool => !isLibrary(tool))
  const found = ranked(selected(offered, args), args.query)
  const shown = found.slice(0, args.limit)
  const known = await Promise.all(shown.map(tool => withArguments(tool, ctx)))
  const tools = known.flatMap(tool => (tool ? [{ ...summaryOf(tool), ...schemasOf(tool, ctx) }] : []))
  const more = found.length - shown.length
  return {
    title: `${found.length} ${found.length === 1 ? 'tool' : 'tools'}`,
    metadata: { found: found.length },
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

/** The tools that contain words of the query, those with most first; all if there is no query. */
function ranked(tools: ToolDef[], query = ''): ToolDef[] {
  const words = [...new Set(wordsOf(query))]
  const telling = words.filter(({ length }) => length > 2)
  const wanted = telling.length > 0 ? telling : words
  if (wanted.length === 0) return tools
  return tools
    .map(tool => ({ tool, score: scoreOf(tool, wanted) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ tool }) => tool)
}

/** A word counts most in the name, and more in a tag than in the description. */
function scoreOf({ name, frontmatter: { tags, description = '' } }: ToolDef, wanted: string[]): number {
  const places: [string[], number][] = [
    [wordsOf(name), 4],
    [wordsOf(tags.join(' ')), 2],
    [wordsOf(description), 1],
  ]
  return wanted
    .flatMap(word => places.map(([words, weight]) => (words.some(one => one.startsWith(word)) ? weight : 0)))
    .reduce((sum, weight) => sum + weight, 0)
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}
