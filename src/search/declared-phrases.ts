import { isStringArray, type JsonValue } from '../base/json.js'
import type { ToolFrontmatter } from '../skill/frontmatter.js'

/** The phrases of users that a skill names itself, under `triggers` of its metadata or at the top level. */
export function declaredPhrases({ metadata, extra }: Pick<ToolFrontmatter, 'metadata' | 'extra'>): string[] {
  return [metadata.triggers, extra.triggers].flatMap(triggers => phrasesIn(triggers) ?? [])
}

/** The phrases of a value of `triggers`: a string is one phrase. Null for a value that is neither string nor strings. */
export function phrasesIn(triggers: JsonValue | undefined): string[] | null {
  if (typeof triggers === 'string') return [triggers]
  return isStringArray(triggers) ? triggers : null
}
