import type { Finding } from '../diagnostics/diagnostics.js'
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

/** The directory with further findings of its files. */
export function withFindings(linked: LinkedDirectory, more: ReadonlyMap<string, Finding[]>): LinkedDirectory {
  if (more.size === 0) return linked
  const findings = new Map(linked.findings)
  for (const [path, found] of more) findings.set(path, [...(findings.get(path) ?? []), ...found])
  return { ...linked, findings }
}
