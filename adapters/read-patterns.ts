import { AgentAppsError, parsePatterns } from 'agent-apps'

/**
 * Reads patterns that an adapter's option gives, each of which selects tools.
 *
 * @throws OPTIONS_INVALID for what is not a pattern
 */
export function readPatterns(patterns: string | readonly string[]): string[] {
  const rules = [patterns].flat().flatMap(text => parsePatterns(text))
  const broken = rules.find(({ glob }) => glob === undefined)
  if (!broken) return rules.map(({ text }) => text)
  throw new AgentAppsError('OPTIONS_INVALID', `The pattern ${JSON.stringify(broken.text)} cannot be read.`, {
    hint: 'See docs/patterns.md for what can be written.',
  })
}
