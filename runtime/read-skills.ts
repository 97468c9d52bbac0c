import { details } from './find/make-tool.js'
import { lazy } from './host/later.js'
import type { Globals } from './state/context.js'
import { defaultGlobals } from './state/globals.js'
import type { ToolDef } from './state/tool-def.js'

const listing = lazy(() => import('./find/all-tools.js'))
const reading = lazy(() => import('./find/read-path.js'))

/**
 * Lists registered tools, then those of each path entry in order of name; of several with one name, the first. Hidden
 * tools are listed, except the library's, which comes last.
 */
export async function listTools(globals: Globals = defaultGlobals()): Promise<ToolDef[]> {
  return (await listing()).allTools(globals, true)
}

/**
 * Reads a file of a folder skill, by its path inside the skill's folder.
 *
 * @throws TOOL_NOT_FOUND, TOOL_BROKEN; RESOURCE_NOT_FOUND for a file that is not among the skill's resources, is gone,
 *   or lies outside the skill's folder; RESOURCE_UNREADABLE if the system refuses to read it
 */
export async function readResource(
  ref: string,
  path: string,
  globals: Globals = defaultGlobals(),
): Promise<Uint8Array> {
  return (await details()).resourceBytes(ref, path, globals)
}

/**
 * Loads all tools of a skill file, whether or not a path entry contains it. A directory means its SKILL.md.
 *
 * @returns an empty array if the file does not exist or is not a skill file
 * @throws TOOL_BROKEN if faults leave the file without a tool
 */
export async function loadSkillsFromFile(
  path: string,
  globals: Globals = defaultGlobals(),
): Promise<ToolDef[]> {
  return (await reading()).loadSkills(path, globals)
}
