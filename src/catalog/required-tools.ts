import type { JsonValue } from '../base/json.js'
import { FOREIGN_NAMES, type MatchedTool, parsePatterns, selectsTool } from '../patterns/tool-pattern.js'

/**
 * True if each pattern of a skill's `requires-tools` matches one of the tools. An invalid pattern matches
 * none.
 */
export function hasRequiredTools(requires: JsonValue | undefined, tools: readonly MatchedTool[]): boolean {
  if (requires === undefined || requires === null) return true
  const patterns = [requires].flat()
  // Each item is parsed alone: an invalid one must not invalidate the next ones.
  const rules = patterns.flatMap(pattern => (typeof pattern === 'string' ? parsePatterns(pattern) : [null]))
  return rules.every(rule => rule !== null && tools.some(tool => selectsTool(rule, tool)))
}

/**
 * Returns a host's own tool in the form that patterns are matched against: by the host's name for it, and by
 * our name for such a tool.
 */
export function hostTools(name: string): MatchedTool[] {
  const ours = [...FOREIGN_NAMES].filter(([, foreign]) => foreign.includes(name)).map(([own]) => own)
  return [name, ...ours].map(one => ({ name: one, tags: [] }))
}
