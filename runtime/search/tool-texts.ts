import { isAgentAppsError } from '../../src/base/error.js'
import { declaredPhrases } from '../../src/search/declared-phrases.js'
import type { SearchedTexts } from '../../src/search/tool-terms.js'
import { guardsOf } from '../policy/guards-of.js'
import type { ToolDef } from '../state/tool-def.js'

/**
 * The texts of a tool that a search looks at. The text of a gated skill is not among them, as each opening of that is
 * asked about, nor that of a server's, which would have to be fetched.
 */
export async function textsOf(tool: ToolDef): Promise<SearchedTexts> {
  const { name, frontmatter } = tool
  const { title, description, tags } = frontmatter
  return {
    name,
    tags,
    description: [title, description, ...declaredPhrases(frontmatter)]
      .filter(text => text !== undefined)
      .join('\n'),
    body: await bodyOf(tool),
  }
}

/** A text that cannot be read, or no longer, tells nothing: a call of the tool says why. */
async function bodyOf(tool: ToolDef): Promise<string> {
  if (!tool.content || tool.origin.layer === 'remote' || guardsOf(tool).gated) return ''
  try {
    return await tool.content()
  } catch (error) {
    if (isAgentAppsError(error)) return ''
    throw error
  }
}
