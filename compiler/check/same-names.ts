import { labelOf } from '../../src/skill/names.js'
import { type Finding, finding, type Place } from '../diagnostics/diagnostics.js'
import { type ProjectPart, shownPath } from '../project/project.js'
import type { ReportPart } from '../project/report.js'
import { nameIn } from '../records/linked-directory.js'
import type { SkillUnit, UnitTool } from '../records/skill-unit.js'
import { areCopies, type ReadSkillFile } from '../records/walked.js'

/** A tool that has a name without regard to its namespace. */
interface Namesake extends ReadSkillFile {
  name: string
  directory: number
  path: string
  /** A shown path. */
  file: string
  place: Place
}

/**
 * Finds bare names that different skills of several namespaces share, each once, at the skill that the bare name
 * means.
 */
export function ambiguousNames<Part extends ReportPart & ProjectPart>(parts: readonly Part[]): Part[] {
  const found: FoundIn[] = []
  for (const [label, namesakes] of byLabel(parts)) {
    const [first, ...others] = namesakes
    const different = others.filter(one => first && !areCopies(first, one))
    if (!first || different.length === 0) continue
    const shown = different.map(({ name, file, place }) => `"${name}" (${file}:${place.line})`).join(', ')
    const { directory, path, place, name } = first
    found.push({ directory, path, finding: finding('name-ambiguous', place, label, name, shown) })
  }
  return withFound(parts, found)
}

/** Finds copies of earlier skills: in the same directory, or of the same name in an earlier one. */
export function copiedSkills<Part extends ReportPart & ProjectPart>(parts: readonly Part[]): Part[] {
  const firsts = new Map<string, ReadSkillFile & { file: string }>()
  const found: FoundIn[] = []
  for (const [directory, part] of parts.entries()) {
    const { linked, skills } = part
    const byPath = new Map(skills.map(skill => [skill.path, skill]))
    const note = ({ path }: SkillUnit, { place, name }: UnitTool, first: string): unknown =>
      found.push({ directory, path, finding: finding('duplicate-copy', place, labelOf(name), first) })
    for (const [name, { unit, tool }] of linked.names) {
      const { path, sha256 } = unit
      const own = { skill: byPath.get(path), sha256, file: shownPath(part.directory, path) }
      const first = firsts.get(name)
      if (!first) firsts.set(name, own)
      else if (tool && areCopies(first, own)) note(unit, tool, first.file)
    }
    for (const unit of linked.units) {
      for (const tool of linked.copies.has(unit.path) ? unit.tools : []) {
        const first = linked.names.get(nameIn(linked, labelOf(tool.name)) ?? tool.name)
        if (first && first.unit !== unit) note(unit, tool, shownPath(part.directory, first.unit.path))
      }
    }
  }
  return withFound(parts, found)
}

interface FoundIn {
  directory: number
  path: string
  finding: Finding
}

function withFound<Part extends ReportPart>(parts: readonly Part[], found: readonly FoundIn[]): Part[] {
  return parts.map((part, number) => ({
    ...part,
    unresolved: [...(part.unresolved ?? []), ...found.filter(({ directory }) => directory === number)],
  }))
}

/** The tools of each bare name that tools of namespaces have, in search order, each name once. */
function byLabel(parts: readonly (ReportPart & ProjectPart)[]): Map<string, Namesake[]> {
  const labels = labelsOfNamespaces(parts)
  if (labels.size === 0) return new Map()
  const skills = parts.map(part => new Map(part.skills.map(skill => [skill.path, skill])))
  const all = new Map<string, Map<string, Namesake>>()
  for (const { directory, name } of inSearchOrder(parts)) {
    const label = labelOf(name)
    const part = parts[directory]
    const { unit, tool } = part?.linked.names.get(name) ?? {}
    if (!labels.has(label) || !part || !unit || !tool) continue
    const { path, sha256 } = unit
    const namesakes = all.get(label) ?? new Map<string, Namesake>()
    all.set(label, namesakes)
    if (namesakes.has(name)) continue
    const skill = skills[directory]?.get(path)
    const file = shownPath(part.directory, path)
    namesakes.set(name, { name, directory, path, file, place: tool.place, skill, sha256 })
  }
  const shared = [...all].filter(([, namesakes]) => namesakes.size > 1)
  return new Map(shared.map(([label, namesakes]) => [label, [...namesakes.values()]]))
}

/** The bare names of tools that have a namespace. Most projects have none. */
function labelsOfNamespaces(parts: readonly ReportPart[]): Set<string> {
  const names = parts.flatMap(({ linked }) => [...linked.names.keys()])
  return new Set(names.filter(name => name.includes(':')).map(labelOf))
}

/** All names of directories; in each those without a namespace first. */
function* inSearchOrder(parts: readonly ReportPart[]): Generator<{ directory: number; name: string }> {
  for (const [directory, { linked }] of parts.entries()) {
    const names = [...linked.names.keys()]
    for (const name of names) if (name === labelOf(name)) yield { directory, name }
    for (const name of names) if (name !== labelOf(name)) yield { directory, name }
  }
}
