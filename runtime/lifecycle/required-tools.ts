import { HOOKS_KEY } from '../../src/hooks/tool-hooks.js'
import { parsePatterns } from '../../src/patterns/tool-pattern.js'
import { isName, namespaceOf } from '../../src/skill/names.js'
import { resolveWithin } from '../find/resolve-within.js'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { initFailed } from './lifecycle-faults.js'

/** True for a tool with hooks, as far as that is known without loading its code. */
export function hasHooks({ frontmatter: { metadata } }: ToolDef): boolean {
  return metadata[HOOKS_KEY] === true
}

/**
 * The tools with hooks that a tool requires by their names, also by way of tools without.
 *
 * @throws INIT_FAILED where it requires itself
 */
export async function requiredWithHooks(tool: ToolDef, globals: Globals): Promise<ToolDef[]> {
  const found = new Set<ToolDef>()
  const seen = new Set<string>()
  const follow = async (one: ToolDef, way: readonly string[], isDirect: boolean): Promise<void> => {
    for (const required of await requiredBy(one, globals)) {
      if (required.name === tool.name)
        throw initFailed(
          tool.name,
          `the tools require each other in a circle: ${[...way, tool.name].join(' → ')}`,
        )
      const isMarked = hasHooks(required)
      if (isDirect && isMarked) found.add(required)
      const key = `${required.name} ${isDirect && !isMarked}`
      if (seen.has(key)) continue
      seen.add(key)
      await follow(required, [...way, required.name], isDirect && !isMarked)
    }
  }
  await follow(tool, [tool.name], true)
  return [...found]
}

/** The tools that one names in its `requires-tools`; what is not there, is nobody's to wait for. */
async function requiredBy(tool: ToolDef, globals: Globals): Promise<ToolDef[]> {
  const given = tool.frontmatter.metadata['requires-tools']
  const lists = (Array.isArray(given) ? given : [given]).filter(item => typeof item === 'string')
  const names = lists.flatMap(list => parsePatterns(list).map(({ text }) => text)).filter(isName)
  const tools: ToolDef[] = []
  for (const name of names) {
    const resolution = await resolveWithin(namespaceOf(tool.name), name, globals)
    if (resolution?.tool) tools.push(resolution.tool)
  }
  return tools
}
