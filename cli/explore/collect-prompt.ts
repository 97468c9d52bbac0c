import type { ToolDef } from 'agent-apps'
import { isAgentAppsError } from '../../src/base/error.js'
import { isInPrompt } from '../../src/catalog/offered-tool.js'
import type { ToolFrontmatter } from '../../src/skill/frontmatter.js'
import { fromCwd } from '../from-here.js'
import type { PagePrompt, PromptTool } from './page-data.js'

/**
 * Collects what a catalog is made of: the tools of an agent without limits of its own, as `agent-apps catalog` has them. A content
 * that stands in the prompt is taken as it is written: its directives may tell of the machine, and of its environment.
 */
export async function collectPrompt(
  tools: readonly ToolDef[],
  hasContent: boolean,
  cwd: string,
): Promise<PagePrompt> {
  const listed: PromptTool[] = []
  for (const tool of tools) {
    const content = hasContent && isInPrompt(tool) ? await writtenText(tool) : undefined
    listed.push({ ...promptTool(tool, cwd), ...(content !== undefined && { inPrompt: content }) })
  }
  return { tools: listed }
}

function promptTool({ name, kind, frontmatter, origin }: ToolDef, cwd: string): PromptTool {
  const { description, role, inPrompt, tags, metadata } = frontmatter
  const read = Object.entries(metadata).filter(([key]) => key === 'catalog' || key === 'requires-tools')
  const kept: ToolFrontmatter = {
    ...{ name, tags, metadata: Object.fromEntries(read), extra: {} },
    ...(description !== undefined && { description }),
    ...(role !== undefined && { role }),
    ...(inPrompt && { inPrompt }),
  }
  // Where an entry is the project itself, its name would tell where that lies.
  const entry = fromCwd(origin.entry, cwd).replace(/^\.$/, '')
  return { name, kind, frontmatter: kept, origin: { layer: origin.layer, entry, file: origin.file } }
}

async function writtenText({ content }: ToolDef): Promise<string | undefined> {
  try {
    return await content?.()
  } catch (error) {
    if (isAgentAppsError(error)) return undefined
    throw error
  }
}
