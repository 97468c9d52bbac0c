import type { Finding } from './diagnostics.js'
import type { SkillUnit, UnitTool } from './skill-unit.js'

/** What a name means in one directory. */
export interface NamedTool {
  unit: SkillUnit
  /** Absent where the file's faults keep it from loading. */
  tool?: UnitTool
  broken?: Finding
}

export interface LinkedDirectory {
  units: SkillUnit[]
  names: Map<string, NamedTool>
  /** Findings that only the whole directory shows, by file. */
  findings: Map<string, Finding[]>
  /** Names that a file gives to the directory, by file. */
  given: Map<string, string[]>
}
