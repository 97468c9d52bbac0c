import type { Permission } from '../../src/base/permissions.js'
import { type Guards, readGuards } from '../../src/policy/guards.js'
import { WORKSPACE_TAG } from '../../src/skill/names.js'
import { isOfHost, matchesKnown, nearestToPattern } from '../diagnostics/check-patterns.js'
import { type Finding, finding } from '../diagnostics/diagnostics.js'
import { libraryBelow } from '../project/library.js'
import type { Project } from '../project/project.js'
import { namedTools } from '../project/reference-targets.js'
import type { ReportPart } from '../project/report.js'
import type { UnitTool } from '../records/skill-unit.js'

/**
 * Finds guards that guard less than they seem to: rules that match no known tool, `gated: false` of what does
 * more than read, and tools that take the name of one that declares permissions. Works on tools that were read
 * anew.
 *
 * @param names those of all tools of the directories that are searched
 */
export function checkGuards<Part extends ReportPart>(
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
    // A tool that only some hosts have is not what a skill of its name is taken for.
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
