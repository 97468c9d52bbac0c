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
  /** By the name of the tool, qualified where it has a namespace. */
  names: Map<string, NamedTool>
  /** The qualified names that a bare name means, in search order, where no tool has it as its own. */
  namesakes: Map<string, string[]>
  /** Findings that only the whole directory shows, by file. */
  findings: Map<string, Finding[]>
  /** The namespaces of files, by path; only of those that have one. */
  namespaces: ReadonlyMap<string, string>
  /** The paths of files that are copies of another one's skills, which has their names. */
  copies: Set<string>
  /** Names that a file gives to the directory, by file. */
  given: Map<string, string[]>
}

/** The tool's own name that a name means in a directory: itself, or the first that a bare name means. */
export function nameIn({ names, namesakes }: LinkedDirectory, name: string): string | undefined {
  return names.has(name) ? name : namesakes.get(name)?.[0]
}

/** The directory with further findings of its files. */
export function withFindings(linked: LinkedDirectory, more: ReadonlyMap<string, Finding[]>): LinkedDirectory {
  if (more.size === 0) return linked
  const findings = new Map(linked.findings)
  for (const [path, found] of more) findings.set(path, [...(findings.get(path) ?? []), ...found])
  return { ...linked, findings }
}
