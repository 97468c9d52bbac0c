import { orNull } from '../../src/base/attempt.js'
import { digestFile } from '../files/regular-file.js'
import { fileOf, type WalkedSkill } from './walked.js'

/** A skill file, and the digest of what was read of it. */
export interface ReadSkillFile {
  skill: WalkedSkill | undefined
  sha256: string
}

/**
 * True for two skill files that are copies of one skill: with the same bytes, also those of all resources.
 * Resources are digested only where everything else is the same.
 */
export function areCopies(first: ReadSkillFile, second: ReadSkillFile): boolean {
  if (first.sha256 === '' || first.sha256 !== second.sha256 || !first.skill || !second.skill) return false
  const others = new Map(second.skill.resources.map(file => [file.path, file]))
  return (
    first.skill.resources.length === others.size &&
    first.skill.resources.every(file => {
      const other = others.get(file.path)
      if (other === undefined || file.size !== other.size) return false
      // What cannot be read, reading its skill reports.
      const digest = orNull(() => digestFile(fileOf(file)))
      return digest !== null && digest === orNull(() => digestFile(fileOf(other)))
    })
  )
}
