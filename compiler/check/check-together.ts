import type { Finding } from '../diagnostics/diagnostics.js'
import type { Project, ProjectPart } from '../project/project.js'
import { type Report, type ReportPart, report } from '../project/report.js'
import type { Stage } from '../project/stage.js'
import { withFindings } from '../records/linked-directory.js'
import { checkGuards } from './check-guards.js'
import { checkReferences, knownNames, unmatchedPatterns } from './check-references.js'
import { checkUnreachable } from './check-unreachable.js'
import { ambiguousNames, copiedSkills } from './same-names.js'

/** The findings of earlier stages: by directory, then by file. */
type Found = readonly { findings: Map<string, Finding[]> }[]

/** Finds the faults that only all directories together show, and reports them with all others. */
export const checkTogether: Stage<
  { parts: readonly (ReportPart & ProjectPart)[]; project: Project; cascades: Found; contents: Found },
  { report: Report }
> = {
  name: 'check',
  async run({ parts, project, cascades, contents }) {
    const checked = parts.map((part, number) => ({
      ...part,
      linked: [cascades, contents].reduce(
        (linked, found) => withFindings(linked, found[number]?.findings ?? new Map()),
        part.linked,
      ),
    }))
    const referring = await checkReferences(checked, project, { links: true })
    const guarded = checkGuards(referring, project, await knownNames(checked, project))
    const found = checkUnreachable(copiedSkills(ambiguousNames(guarded)))
    return { report: await report(found, await unmatchedPatterns(checked, project), project) }
  },
}
