import { AgentAppsError, parsePatterns } from 'agent-apps'

/**
 * Parses the patterns of an option that selects tools.
 *
 * @throws OPTIONS_INVALID for an invalid pattern
 */
export function readPatterns(patterns: string | readonly string[]): string[] {
  const rules = [patterns].flat().flatMap(text => parsePatterns(text))
  const broken = rules.find(({ glob }) => glob === undefined)
  if (!broken) return rules.map(({ text }) => text)
  throw new AgentAppsError('OPTIONS_INVALID', `The pattern ${JSON.stringify(broken.text)} cannot be read.`, {
    hint: 'See docs/patterns.md for the syntax.',
  })
}
