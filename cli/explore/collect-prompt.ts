import type { Runtime, ToolDef } from 'agent-apps'
import { isAgentAppsError } from '../../src/base/error.js'
import { isInPrompt } from '../../src/catalog/offered-tool.js'
import type { ToolFrontmatter } from '../../src/skill/frontmatter.js'
import type { PagePrompt, PromptTool } from './page-data.js'

/** Collects what a catalog is made of: the tools of an agent without limits of its own, as `agent-apps catalog` has them. */
export async function collectPrompt(tools: readonly ToolDef[], runtime: Runtime): Promise<PagePrompt> {
  const listed: PromptTool[] = []
  for (const tool of tools) {
    const content = isInPrompt(tool) ? await renderedText(tool, runtime) : undefined
    listed.push({ ...promptTool(tool), ...(content !== undefined && { inPrompt: content }) })
  }
  return { tools: listed }
}

function promptTool({ name, kind, frontmatter, origin }: ToolDef): PromptTool {
  const { description, role, inPrompt, tags, metadata } = frontmatter
  const read = Object.entries(metadata).filter(([key]) => key === 'catalog' || key === 'requires-tools')
  const kept: ToolFrontmatter = {
    ...{ name, tags, metadata: Object.fromEntries(read), extra: {} },
    ...(description !== undefined && { description }),
    ...(role !== undefined && { role }),
    ...(inPrompt && { inPrompt }),
  }
  // Only the last folder of an entry's path names a group.
  const entry = origin.entry.split(/[\\/]/).at(-1) ?? ''
  return { name, kind, frontmatter: kept, origin: { layer: origin.layer, entry, file: origin.file } }
}

/** The text as a model gets it; undefined where its directives cannot be run without code. */
async function renderedText({ name }: ToolDef, runtime: Runtime): Promise<string | undefined> {
  try {
    return await runtime.render(name)
  } catch (error) {
    if (isAgentAppsError(error)) return undefined
    throw error
  }
}
