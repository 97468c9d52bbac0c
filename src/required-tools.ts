import type { JsonValue } from './json.js'
import { type MatchedTool, parsePatterns, selectsTool } from './tool-pattern.js'

/** True where each pattern of a skill's `requires-tools` selects one of the tools. What is no pattern selects none. */
export function hasRequiredTools(requires: JsonValue | undefined, tools: readonly MatchedTool[]): boolean {
  if (requires === undefined || requires === null) return true
  const patterns = [requires].flat()
  // Each item alone: one that is no pattern must not take the next ones along.
  const rules = patterns.flatMap(pattern => (typeof pattern === 'string' ? parsePatterns(pattern) : [null]))
  return rules.every(rule => rule !== null && tools.some(tool => selectsTool(rule, tool)))
}
