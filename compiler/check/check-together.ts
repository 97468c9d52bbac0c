import type { Permission } from '../../src/base/permissions.js'
import { type Guards, readGuards } from '../../src/policy/guards.js'
import { WORKSPACE_TAG } from '../../src/skill/names.js'
import { isOfHost, matchesKnown, nearestToPattern } from '../diagnostics/check-patterns.js'
import { type Finding, finding } from '../diagnostics/diagnostics.js'
import { libraryBelow } from '../project/library.js'
import type { Project, ProjectPart } from '../project/project.js'
import { namedTools } from '../project/reference-targets.js'
import { type Report, type ReportPart, report } from '../project/report.js'
import type { Stage } from '../project/stage.js'
import { withFindings } from '../records/linked-directory.js'
import type { UnitTool } from '../records/skill-unit.js'
import { checkDescriptions } from './check-descriptions.js'
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
    const found = checkUnreachable(checkDescriptions(copiedSkills(ambiguousNames(guarded))))
    return { report: await report(found, await unmatchedPatterns(checked, project), project) }
  },
}

/**
 * Finds guards that guard less than they seem to: rules that match no known tool, `gated: false` on a tool that does
 * more than read, and tools that take the name of one that declares permissions. Works on tools that were read
 * anew.
 *
 * @param names the names of all tools in the searched directories
 */
function checkGuards<Part extends ReportPart>(
  parts: readonly Part[],
  project: Project,
  names: ReadonlySet<string>,
): Part[] {
  const library = libraryBelow(project)?.readTools()
  const permissionsOf = (name: string, from: number): readonly string[] => {
    for (const { linked } of parts.slice(from + 1)) {
      const { tool } = linked.names.get(name) ?? {}
      if (tool) return declaredBy(guardsOf(tool))
    }
    const { metadata = {}, tags = [] } = library?.get(name)?.frontmatter ?? {}
    // A skill is not mistaken for a tool that only some hosts have.
    return tags.includes(WORKSPACE_TAG) ? [] : declaredBy(readGuards(metadata))
  }
  const found: { directory: number; path: string; finding: Finding }[] = []
  for (const { directory, name, file, tool } of namedTools(parts)) {
    const guards = guardsOf(tool)
    const note = (one: Finding): unknown => found.push({ directory, path: file, finding: one })
    const reach = declaredBy(guards).filter(one => one !== 'read')
    if (guards.gated === false && reach.length > 0)
      note(finding('gate-off', tool.place, name, reach.join(', ')))
    const shadowed = permissionsOf(name, directory)
    if (shadowed.length > 0) note(finding('shadows-guarded', tool.place, name, shadowed.join(', ')))
    for (const rule of guards.rules)
      if (!rule.problem && !isOfHost(rule.text, project.hostTools) && !matchesKnown(rule, names))
        note(finding('rule-unmatched', tool.place, rule.text, nearestToPattern(rule.text, names) ?? ''))
  }
  return parts.map((part, number) => ({
    ...part,
    unresolved: [...(part.unresolved ?? []), ...found.filter(({ directory }) => directory === number)],
  }))
}

function guardsOf({ fresh }: UnitTool): Guards {
  return readGuards(fresh?.record.frontmatter.metadata ?? {})
}

/** The permissions that a tool declares; all of them if the declaration cannot be read. */
function declaredBy({ required, optional }: Guards): readonly Permission[] {
  return [...new Set([...required, ...optional])]
}
