import type { GlobProgram } from '../../../src/patterns/match-glob.js'
import {
  FOREIGN_NAMES,
  type MatchedTool,
  selectsTool,
  type ToolRule,
} from '../../../src/patterns/tool-pattern.js'

/**
 * Finds the names of the tools that a rule selects. Most rules are no globs, and are looked up by name and
 * tag.
 */
export function selectedTools(tools: readonly MatchedTool[]): (rule: ToolRule) => string[] {
  const called = new Map<string, Set<MatchedTool>>()
  for (const tool of tools)
    for (const one of [tool.name, ...(FOREIGN_NAMES.get(tool.name) ?? []), ...tool.tags]) {
      const namesakes = called.get(one)
      if (namesakes) namesakes.add(tool)
      else called.set(one, new Set([tool]))
    }
  return rule => {
    const literal = rule.glob && literalOf(rule.glob)
    const candidates = literal === undefined ? tools : [...(called.get(literal) ?? [])]
    return candidates.filter(tool => selectsTool(rule, tool)).map(({ name }) => name)
  }
}

/** The only text that a glob matches; undefined for one that may match others. */
function literalOf({ steps }: GlobProgram): string | undefined {
  const characters = steps?.slice(0, -1).map(step => (step[0] === 'char' ? step[1] : undefined))
  return characters?.every(one => one !== undefined) ? characters.join('') : undefined
}
