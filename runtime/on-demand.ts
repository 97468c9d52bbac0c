import { defaultGlobals, type Globals } from './globals.js'
import { paths, resources } from './lazy.js'
import type { ToolDef } from './tool-def.js'

/**
 * Loads every tool of a skill file, past the search path. A directory means its SKILL.md.
 *
 * @returns none where there is no such file, or it is no skill file
 * @throws TOOL_BROKEN where the file gives no tool because of its faults
 */
export async function loadSkillsFromFile(
  path: string,
  globals: Globals = defaultGlobals(),
): Promise<ToolDef[]> {
  return (await paths()).loadSkillsFromFile(path, globals)
}

/**
 * The bytes of one of a folder skill's files, by its path inside the skill's folder.
 *
 * @throws TOOL_NOT_FOUND, TOOL_BROKEN; RESOURCE_NOT_FOUND for what is not listed among the skill's resources, is
 *   gone, or leads out of the skill's folder
 */
export async function readResource(
  ref: string,
  path: string,
  globals: Globals = defaultGlobals(),
): Promise<Uint8Array> {
  return (await resources()).readResource(ref, path, globals)
}
