import type { CallToolResult, Tool } from '@modelcontextprotocol/server'
import { FOUND_MAX } from '../skill-tools/skill-access.js'

/** The tool that finds skills, for a client that does not list all of them. */
export const SEARCH_SKILLS: Tool = {
  name: 'search-skills',
  description: 'Finds skills by words of a task. Call the tool of the name that it gives to get the skill.',
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string', description: 'Words of the task.' } },
    required: ['query'],
  },
  annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
}

/** A skill, and the name that it is served by. */
interface Served {
  name: string
  tool: { name: string }
}

/** The arguments of the library's tool for a search among the skills that are served. */
export function searchArguments({ query }: Record<string, unknown>, served: readonly Served[]) {
  return { query, runs: false, limit: FOUND_MAX, names: served.map(({ tool }) => tool.name) }
}

/** The result of the library's tool, with the names under which the skills are served. */
export function searchResult(result: unknown, served: readonly Served[]): CallToolResult {
  const { tools } = (result as { output: { tools: { name: string; description?: string }[] } }).output
  const nameOf = new Map(served.map(({ name, tool }) => [tool.name, name]))
  const skills = tools.map(({ name, description }) => ({ name: nameOf.get(name) ?? name, description }))
  return { content: [{ type: 'text', text: JSON.stringify({ skills }) }], structuredContent: { skills } }
}
