import { lazy } from './host/later.js'
import type { Globals } from './state/context.js'
import { defaultGlobals } from './state/globals.js'
import type { ToolDef } from './state/tool-def.js'

const reading = lazy(() => import('./find/read-path.js'))

/**
 * Loads every tool of a skill file, past the search path. A directory means its SKILL.md.
 *
 * @returns none where there is no such file, or it is not a skill file
 * @throws TOOL_BROKEN where the file gives no tool because of its faults
 */
export async function loadSkillsFromFile(
  path: string,
  globals: Globals = defaultGlobals(),
): Promise<ToolDef[]> {
  return (await reading()).loadSkills(path, globals)
}
