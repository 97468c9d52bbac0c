import { isStringArray, type JsonValue } from '../base/json.js'
import type { ToolFrontmatter } from '../skill/frontmatter.js'
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

/** The phrases of users that a skill names itself, under `triggers` of its metadata or at the top level. */
export function declaredPhrases({ metadata, extra }: Pick<ToolFrontmatter, 'metadata' | 'extra'>): string[] {
  return [metadata.triggers, extra.triggers].flatMap(triggers => phrasesIn(triggers) ?? [])
}

/** The phrases of a value of `triggers`: a string is one phrase. Null for a value that is neither string nor strings. */
export function phrasesIn(triggers: JsonValue | undefined): string[] | null {
  if (typeof triggers === 'string') return [triggers]
  return isStringArray(triggers) ? triggers : null
}
