import { parseSkill } from './1-read/read-skills.js'
import type { WalkedSkill } from './1-read/walk.js'
import type { LinkedDirectory } from './linked-directory.js'
import type { ProjectDirectory } from './project.js'

/** One of a project's directories with its table. What looks at all of them is given a list, in search order. */
export interface LinkedPart {
  directory: ProjectDirectory
  linked: LinkedDirectory
}

/** The same for what reads skill files once more. */
export interface ProjectPart extends LinkedPart {
  skills: readonly WalkedSkill[]
}

/** A tool as its file is read once more, for what no compile keeps; undefined where it is gone. */
export async function parsedTool({ skills }: ProjectPart, file: string, name: string) {
  const skill = skills.find(({ path }) => path === file)
  return skill && (await parseSkill(skill)).tools.find(tool => tool.name === name)
}
