import type { CascadeProblem } from '../../src/cascade/types.js'
import type { FileRecord } from '../../src/index/index-format.js'
import { type Finding, type RuleName, severityOf, toDiagnostic } from '../diagnostics/diagnostics.js'
import type { SkillUnit, UnitTool } from './skill-unit.js'

export interface NamedTool {
  unit: SkillUnit
  /** Absent where the file's faults keep it from loading. */
  tool?: UnitTool
  broken?: Finding
}

export interface LinkedDirectory {
  units: SkillUnit[]
  /** Tools by name, qualified if they have a namespace. */
  names: Map<string, NamedTool>
  /** The qualified names that a bare name means, in search order, where no tool has it as its own. */
  namesakes: Map<string, string[]>
  /** Findings that only the whole directory shows, by file. */
  findings: Map<string, Finding[]>
  /** The namespaces of files, by path; only of those that have one. */
  namespaces: ReadonlyMap<string, string>
  /** The paths of copies of skills whose names belong to another file. */
  copies: Set<string>
  /** The names that each file adds to the directory, by file. */
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

/** A skill file as an index has it, and as a directory that was read without one. */
export function fileRecord(
  { path, findings, ignored = [], sha256, size }: SkillUnit,
  { findings: linkFindings, given }: LinkedDirectory,
): FileRecord {
  return {
    // Findings that only help to write a skill are reported by `check`, and not shipped. Which patterns match
    // nothing depends on other directories, and the index does not.
    diagnostics: findings
      .concat(linkFindings.get(path) ?? [])
      .filter(
        finding =>
          severityOf(finding) !== 'info' &&
          finding.rule !== 'pattern-unmatched' &&
          !ignored.includes(finding.rule),
      )
      .map(finding => toDiagnostic(path, finding)),
    sha256,
    size,
    tools: given.get(path) ?? [],
  }
}

/** A fault in the metadata by which a tool takes part in cascades. */
export interface DirectoryProblem extends Pick<CascadeProblem, 'path'> {
  code: RuleName
  /** The name of the tool at fault. */
  name: string
  found: string[]
}
