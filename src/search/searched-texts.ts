import type { ToolFrontmatter } from '../skill/frontmatter.js'
import { declaredPhrases } from './declared-phrases.js'
import type { SearchedTexts } from './tool-terms.js'

/**
 * The texts of a tool that a search looks at.
 *
 * @param body the text of a skill; empty for code
 */
export function searchedTexts(frontmatter: ToolFrontmatter, body: string): SearchedTexts {
  const { name, title, description, tags } = frontmatter
  return {
    name,
    tags,
    description: [title, description, ...declaredPhrases(frontmatter)]
      .filter(text => text !== undefined)
      .join('\n'),
    body: isTextSearched(frontmatter) ? body : '',
  }
}

/** False for a gated skill: each opening of its text is asked about. */
export function isTextSearched({ metadata }: ToolFrontmatter): boolean {
  return (metadata.gated ?? false) === false
}
