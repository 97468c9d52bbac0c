import { type Context, ctxTarget, ctxTools, type DirectiveCall } from 'agent-apps'
import { isLibrary, selected } from './tool-summary.js'

export const frontmatter = {
  name: 'tools',
  description: 'Lists the tools that match a pattern, with what each is for.',
  metadata: { visibility: 'hidden', tags: ['meta-directive-inline', 'meta-directive-block'] },
}

/**
 * `:tools[file-*]`, `::tools[#api]`; without a pattern, all. Only tools that models see and the agent may call; the library's
 * own with `:tools[*]{library}`.
 */
export default async function tools(ctx: Context, { arg = '*', attributes }: DirectiveCall): Promise<string> {
  return selected(await ctxTools(ctxTarget(ctx), 'agent'), { pattern: arg })
    .filter(tool => attributes.library !== undefined || !isLibrary(tool))
    .map(
      ({ name, frontmatter }) =>
        `- \`${name}\`: ${frontmatter.description?.replace(/\s+/g, ' ').trim() ?? ''}`,
    )
    .join('\n')
}
