import { specVerdict } from '../1-read/frontmatter/spec-verdict.js'
import type { ReadSkills } from '../1-read/read-skills.js'
import { readSkillFile, systemReason } from '../files/regular-file.js'
import { type ProjectDirectory, shownPath } from '../project/project.js'
import type { Stage } from '../project/stage.js'
import { fileOf, type Walk, type WalkedSkill } from '../records/walked.js'
import { addSpecFindings } from './spec-findings.js'

/** The verdict of the specification's reference validator on a folder skill. */
export interface SpecVerdict {
  /** A shown path. */
  file: string
  valid: boolean
  errors: string[]
}

/** Gives the reference validator's verdict on every folder skill, where that is asked for, and its findings. */
export const specVerdicts: Stage<
  { directory: ProjectDirectory; walked: Walk; read: Pick<ReadSkills, 'units'>; spec: boolean },
  { verdicts: SpecVerdict[] }
> = {
  name: 'spec',
  async run({ directory, walked, read: { units }, spec }) {
    const folders = spec ? walked.skills.filter(({ kind }) => kind === 'folder') : []
    await addSpecFindings(units, folders)
    return {
      verdicts: folders.map(skill => {
        const errors = errorsOf(skill)
        return { file: shownPath(directory, skill.path), valid: errors.length === 0, errors }
      }),
    }
  },
}

function errorsOf(skill: WalkedSkill): string[] {
  if (skill.unseen !== undefined) return [`The file cannot be read: ${skill.unseen}.`]
  try {
    return specVerdict(readSkillFile(fileOf(skill)), skill.folderName)
  } catch (error) {
    return [`The file cannot be read: ${systemReason(error)}.`]
  }
}
