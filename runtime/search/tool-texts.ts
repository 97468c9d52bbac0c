import { isAgentAppsError } from '../../src/base/error.js'
import { isTextSearched, searchedTexts } from '../../src/search/searched-texts.js'
import type { SearchedTexts } from '../../src/search/tool-terms.js'
import type { ToolDef } from '../state/tool-def.js'

/** The texts of a tool that a search looks at. That of a server's would have to be fetched, and is not among them. */
export async function textsOf(tool: ToolDef): Promise<SearchedTexts> {
  return searchedTexts(tool.frontmatter, await bodyOf(tool))
}

/** A text that cannot be read, or no longer, tells nothing: a call of the tool says why. */
async function bodyOf({ content, origin, frontmatter }: ToolDef): Promise<string> {
  if (!content || origin.layer === 'remote' || !isTextSearched(frontmatter)) return ''
  try {
    return await content()
  } catch (error) {
    if (isAgentAppsError(error)) return ''
    throw error
  }
}
