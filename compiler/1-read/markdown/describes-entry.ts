import { readSkillFile } from '../../files/digest.js'
import { isMainSkill } from './parse-file.js'

/** True for a SKILL.md with `role: main`: at the root of a path entry it describes the entry, and owns none of its files. */
export function describesEntry(file: string): boolean {
  try {
    return isMainSkill(readSkillFile(file))
  } catch {
    // Unreadable: the read that follows reports it, and until then it is a skill like any other.
    return false
  }
}
