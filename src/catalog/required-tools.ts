import type { JsonValue } from '../base/json.js'
import { type MatchedTool, parsePatterns, selectsTool } from '../patterns/tool-pattern.js'

/** True if each pattern of `requires-tools` matches one of the tools. An invalid pattern matches none. */
export function hasRequiredTools(requires: JsonValue | undefined, tools: readonly MatchedTool[]): boolean {
  if (requires === undefined || requires === null) return true
  const patterns = [requires].flat()
  // Each item is parsed alone: an invalid one must not invalidate the next ones.
  const rules = patterns.flatMap(pattern => (typeof pattern === 'string' ? parsePatterns(pattern) : [null]))
  return rules.every(rule => rule !== null && tools.some(tool => selectsTool(rule, tool, false, true)))
}
