import type { FileRecord } from '../../src/index/index-format.js'
import { severityOf, toDiagnostic } from '../diagnostics/diagnostics.js'
import type { LinkedDirectory } from './linked-directory.js'
import type { SkillUnit } from './skill-unit.js'

/** A skill file as an index has it, and as a directory that was read without one. */
export function fileRecord(
  { path, findings, ignored = [], sha256, size }: SkillUnit,
  { findings: linkFindings, given }: LinkedDirectory,
): FileRecord {
  return {
    // Findings that only help to write a skill are reported by `check`, and not shipped. Which patterns match
    // nothing depends on other directories, and the index does not.
    diagnostics: [...findings, ...(linkFindings.get(path) ?? [])]
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
