import { posix } from 'node:path'
import { addToGroup } from '../../../src/base/add-to-group.js'
import { labelOf, namespaceOf } from '../../../src/skill/names.js'
import { namesInScope } from '../../../src/skill/namespaces.js'
import { parseReference } from '../../../src/skill/reference.js'
import { CYCLE_HINT } from '../../../src/skill/skill-faults.js'
import { type Finding, finding } from '../../diagnostics/diagnostics.js'
import type { Stage } from '../../project/stage.js'
import type { LinkedDirectory, NamedTool } from '../../records/linked-directory.js'
import { cascadeInput, emptyUnit, type SkillUnit, type UnitTool } from '../../records/skill-unit.js'
import { areCopies, type ReadSkillFile, type Walk, type WalkedSkill } from '../../records/walked.js'

/** Makes the table of names of a directory that was walked and read. */
export const link: Stage<
  { walked: Pick<Walk, 'skills' | 'skipped'>; read: { units: SkillUnit[] } },
  { linked: LinkedDirectory }
> = {
  name: 'link',
  run: ({ walked, read }) => ({
    linked: linkDirectory(read.units, walked),
  }),
}

/**
 * Makes a directory's table of names. A duplicate name belongs to the first file;
 * a broken file keeps its name from later directories, but not from a sound file beside it.
 */
export function linkDirectory(
  units: SkillUnit[],
  { skills, skipped }: Pick<Walk, 'skills' | 'skipped'>,
): LinkedDirectory {
  const names = new Map<string, NamedTool>()
  const findings = new Map<string, Finding[]>()
  const given = new Map<string, string[]>()
  const copies = new Set<string>()
  let byPath: Map<string, WalkedSkill> | undefined
  const readFile = ({ path, sha256 }: SkillUnit): ReadSkillFile => {
    byPath ??= new Map(skills.map(skill => [skill.path, skill]))
    return { skill: byPath.get(path), sha256 }
  }
  for (const unit of units) {
    for (const tool of unit.tools) {
      const first = names.get(tool.name)
      if (first === undefined) {
        names.set(tool.name, { unit, tool })
        addToGroup(given, unit.path, tool.name)
        continue
      }
      // A copy of a main skill decides for another folder.
      const isMain = cascadeInput(tool)?.role === 'main'
      if (!isMain && first.unit !== unit && areCopies(readFile(first.unit), readFile(unit))) {
        copies.add(unit.path)
      } else {
        const where = first.unit === unit ? '' : first.unit.path
        const line = String(first.tool?.place.line)
        addToGroup(findings, unit.path, finding('duplicate-name', tool.place, tool.name, line, where))
        if (isMain) addToGroup(findings, unit.path, finding('main-broken', tool.place))
      }
    }
  }
  for (const unit of units) {
    for (const { name, finding: broken } of unit.broken) {
      if (!names.has(name)) names.set(name, { unit, broken })
    }
  }
  for (const { path, finding: broken, names: taken = [] } of skipped) {
    for (const name of taken) if (!names.has(name)) names.set(name, { unit: emptyUnit(path), broken })
  }
  for (const circle of delegateCircles(names)) {
    for (const [index, { unit, tool }] of circle.entries()) {
      if (!tool.delegate) continue
      const way = [...circle.slice(index), ...circle.slice(0, index + 1)].map(one => one.tool.name)
      const problem = `it leads back here: ${way.join(' → ')}`
      addToGroup(
        findings,
        unit.path,
        finding('delegate-invalid', tool.delegate.place, tool.delegate.ref, problem, CYCLE_HINT),
      )
    }
  }
  for (const [first, ...others] of sameLabels(names))
    for (const { unit } of others)
      if (first && areCopies(readFile(first.unit), readFile(unit))) copies.add(unit.path)
  const namespaces = new Map<string, string>()
  for (const { path, unit } of skills) if (unit?.namespace !== undefined) namespaces.set(path, unit.namespace)
  return { units, names, namesakes: namesakesIn(names), namespaces, findings, copies, given }
}

/** Tools that differ only in their namespace, grouped; first the one that the bare name refers to. */
function sameLabels(names: ReadonlyMap<string, NamedTool>): NamedTool[][] {
  const byLabel = new Map<string, NamedTool[]>()
  for (const [name, named] of names) {
    if (!named.tool || name === labelOf(name)) continue
    const own = names.get(labelOf(name))
    if (own?.tool && !byLabel.has(labelOf(name))) byLabel.set(labelOf(name), [own])
    addToGroup(byLabel, labelOf(name), named)
  }
  return [...byLabel.values()].filter(({ length }) => length > 1)
}

/**
 * The qualified names that each bare name means, in search order, unless it is a tool's own name. Tools that load
 * come before those that do not.
 */
function namesakesIn(names: ReadonlyMap<string, NamedTool>): Map<string, string[]> {
  const namesakes = new Map<string, string[]>()
  for (const name of names.keys()) {
    const label = labelOf(name)
    if (!names.has(label)) addToGroup(namesakes, label, name)
  }
  return namesakes
}

interface Linked {
  unit: SkillUnit
  tool: UnitTool
}

/**
 * The circles of a directory's delegates. Each tool has one delegate at most, so it is in one circle at most.
 */
function delegateCircles(names: ReadonlyMap<string, NamedTool>): Linked[][] {
  const delegating = [...names.values()]
    .filter(({ tool }) => tool?.delegate)
    .flatMap(named => soundTool(named) ?? [])
  if (delegating.length === 0) return []
  const byFile = new Map<string, Linked[]>()
  for (const named of names.values()) {
    const linked = soundTool(named)
    if (linked) addToGroup(byFile, named.unit.path, linked)
  }
  const circles: Linked[][] = []
  const visited = new Set<UnitTool>()
  for (const first of delegating) {
    const way: Linked[] = []
    let at: Linked | null = first
    for (; at && !visited.has(at.tool); at = delegateOf(at, names, byFile)) {
      visited.add(at.tool)
      way.push(at)
    }
    const start = way.findIndex(({ tool }) => tool === at?.tool)
    if (start !== -1) circles.push(way.slice(start))
  }
  return circles
}

/** The tool of the same directory that a delegate refers to. */
function delegateOf(
  { unit, tool }: Linked,
  names: ReadonlyMap<string, NamedTool>,
  byFile: ReadonlyMap<string, Linked[]>,
): Linked | null {
  if (!tool.delegate) return null
  const reference = parseReference(tool.delegate.ref)
  if (reference.kind === 'name') {
    const known = namesInScope(reference.name, namespaceOf(tool.name)).find(name => names.has(name))
    return soundTool(names.get(known ?? ''))
  }
  if (reference.kind !== 'path') return null
  const file = posix.join(posix.dirname(unit.path), reference.path)
  const tools = byFile.get(file) ?? byFile.get(`${file}/SKILL.md`) ?? []
  return tools.find(one => !reference.fragment || labelOf(one.tool.name) === reference.fragment) ?? null
}

function soundTool(named: NamedTool | undefined): Linked | null {
  return named?.tool ? { unit: named.unit, tool: named.tool } : null
}
