import type { JsonValue } from '../base/json.js'
import { FOREIGN_NAMES, type MatchedTool, parsePatterns, selectsTool } from '../patterns/tool-pattern.js'

/** True where each pattern of a skill's `requires-tools` selects one of the tools. What is no pattern selects none. */
export function hasRequiredTools(requires: JsonValue | undefined, tools: readonly MatchedTool[]): boolean {
  if (requires === undefined || requires === null) return true
  const patterns = [requires].flat()
  // Each item alone: one that is no pattern must not take the next ones along.
  const rules = patterns.flatMap(pattern => (typeof pattern === 'string' ? parsePatterns(pattern) : [null]))
  return rules.every(rule => rule !== null && tools.some(tool => selectsTool(rule, tool)))
}

/** A host's own tool as patterns see it: by what the host calls it, and by what we call such a tool. */
export function hostTools(name: string): MatchedTool[] {
  const ours = [...FOREIGN_NAMES].filter(([, foreign]) => foreign.includes(name)).map(([own]) => own)
  return [name, ...ours].map(one => ({ name: one, tags: [] }))
}
