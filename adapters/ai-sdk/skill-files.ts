import type { Runtime } from 'agent-apps/runtime'

/** A file of a skill for the SDK's `uploadSkill`. */
export interface SkillFile {
  /** Relative to the skill's folder, `/`-separated. */
  path: string
  data: Uint8Array
}

/**
 * All files of a folder skill, `SKILL.md` first, for `uploadSkill` of version 7.
 *
 * @throws TOOL_NOT_FOUND; RESOURCE_NOT_FOUND for a skill that is not a folder
 */
export async function skillFiles(runtime: Runtime, name: string): Promise<SkillFile[]> {
  const { tool, resources } = await runtime.describe(name)
  const paths = ['SKILL.md', ...resources.map(({ path }) => path).filter(path => path !== 'SKILL.md')]
  return Promise.all(paths.map(async path => ({ path, data: await runtime.readResource(tool.name, path) })))
}
