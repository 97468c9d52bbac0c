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
