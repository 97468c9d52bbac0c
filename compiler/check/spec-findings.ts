import { isJsonObject } from '../../src/base/json.js'
import { typeName } from '../1-read/frontmatter/check-frontmatter.js'
import { placesInFiles } from '../1-read/locate-problems.js'
import { type Finding, finding } from '../diagnostics/diagnostics.js'
import type { SkillUnit } from '../records/skill-unit.js'
import type { WalkedSkill } from '../records/walked.js'

/**
 * Adds to units what only the specification asks for: `metadata` of strings alone, and no long names, which
 * are errors then.
 */
export async function addSpecFindings(
  units: readonly SkillUnit[],
  folders: readonly WalkedSkill[],
): Promise<void> {
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
