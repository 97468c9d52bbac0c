import { isJsonObject } from '../../src/base/json.js'
import { typeName } from '../1-read/frontmatter/check-frontmatter.js'
import { specVerdict } from '../1-read/frontmatter/spec-verdict.js'
import { placesInFiles } from '../1-read/locate-problems.js'
import type { ReadSkills } from '../1-read/read-skills.js'
import { type Finding, finding } from '../diagnostics/diagnostics.js'
import { readSkillFile, systemReason } from '../files/regular-file.js'
import { type ProjectDirectory, shownPath } from '../project/project.js'
import type { Stage } from '../project/stage.js'
import type { SkillUnit } from '../records/skill-unit.js'
import { fileOf, type Walk, type WalkedSkill } from '../records/walked.js'

/** The verdict of the specification's reference validator on a folder skill. */
export interface SpecVerdict {
  /** A shown path. */
  file: string
  valid: boolean
  errors: string[]
}

/**
 * Judges every folder skill by the rules of the specification's reference validator, and adds the findings
 * that only `--spec` reports.
 */
export const specVerdicts: Stage<
  { directory: ProjectDirectory; walked: Walk; read: Pick<ReadSkills, 'units'>; spec: boolean },
  { verdicts: SpecVerdict[] }
> = {
  name: 'spec',
  when: ({ spec }) => spec,
  idle: () => ({ verdicts: [] }),
  async run({ directory, walked, read: { units } }) {
    const folders = walked.skills.filter(({ kind }) => kind === 'folder')
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

/**
 * Adds a finding for each value in `metadata` that is not a string, and makes each `name-long` an error.
 */
async function addSpecFindings(units: readonly SkillUnit[], folders: readonly WalkedSkill[]): Promise<void> {
  const walked = new Map(folders.map(skill => [skill.path, skill]))
  for (const unit of units) {
    const skill = walked.get(unit.path)
    if (!skill) continue
    for (const { rule, found } of unit.findings) if (rule === 'name-long') found.push('error')
    unit.findings.push(...(await metadataNotStrings(unit, skill)))
  }
}

async function metadataNotStrings({ tools }: SkillUnit, skill: WalkedSkill): Promise<Finding[]> {
  const findings: Finding[] = []
  const placeIn = placesInFiles()
  for (const { name, fresh } of tools) {
    const { metadata } = fresh?.details.verbatim ?? {}
    const entries = isJsonObject(metadata) ? Object.entries(metadata) : []
    for (const [key, value] of entries) {
      if (typeof value === 'string') continue
      findings.push(finding('metadata-not-string', await placeIn(skill, name, [key]), key, typeName(value)))
    }
  }
  return findings
}
