import { lazy } from './host/later.js'
import type { Globals } from './state/context.js'
import { defaultGlobals } from './state/globals.js'
import type { ToolDef } from './state/tool-def.js'

const listing = lazy(() => import('./find/all-tools.js'))

/**
 * Lists the tools that are registered, then those of each path entry in order of name; of several with one
 * name, the first. Hidden ones are listed, but for the library's, which comes last.
 */
export async function listTools(globals: Globals = defaultGlobals()): Promise<ToolDef[]> {
  return (await listing()).allTools(globals)
}

export const details = lazy(() => import('./find/read-details.js'))

/**
 * The bytes of one of a folder skill's files, by its path inside the skill's folder.
 *
 * @throws TOOL_NOT_FOUND, TOOL_BROKEN; RESOURCE_NOT_FOUND for what is not listed among the skill's resources,
 *   is gone, or leads out of the skill's folder; RESOURCE_UNREADABLE for what the system refuses to read
 */
export async function readResource(
  ref: string,
  path: string,
  globals: Globals = defaultGlobals(),
): Promise<Uint8Array> {
  return (await details()).resourceBytes(ref, path, globals)
}

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
