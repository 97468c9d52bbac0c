import { type Finding, finding } from '../diagnostics.js'
import type { LinkedDirectory, NamedTool } from '../linked-directory.js'
import type { Outcome } from '../report.js'
import type { SkillUnit } from '../skill-unit.js'

/**
 * Makes each directory's table of names. Inside one directory a name that stands twice is the first file's;
 * a broken file keeps its name from later directories, but not from a sound file beside it.
 */
export function linkDirectory(units: SkillUnit[]): LinkedDirectory {
  const names = new Map<string, NamedTool>()
  const findings = new Map<string, Finding[]>()
  const given = new Map<string, string[]>()
  for (const unit of units) {
    for (const tool of unit.tools) {
      const first = names.get(tool.name)
      if (first === undefined) {
        names.set(tool.name, { unit, tool })
        append(given, unit.path, tool.name)
      } else {
        append(findings, unit.path, finding('duplicate-name', tool.place, tool.name, first.unit.path))
      }
    }
  }
  for (const unit of units) {
    for (const { name, finding: broken } of unit.broken) {
      if (!names.has(name)) names.set(name, { unit, broken })
    }
  }
  return { units, names, findings, given }
}

/**
 * What became of each file over all directories, in search order: it is found where one of its tools is the
 * first of its name, shadowed where all have the names of an earlier directory's, else skipped.
 */
export function outcomes(directories: readonly LinkedDirectory[]): Map<string, Outcome>[] {
  const taken = new Set<string>()
  return directories.map(({ units, names, given }) => {
    const outcome = new Map<string, Outcome>()
    for (const { path } of units) {
      const tools = given.get(path) ?? []
      const found = tools.some(name => !taken.has(name))
      outcome.set(path, found ? 'found' : tools.length > 0 ? 'shadowed' : 'skipped')
    }
    for (const name of names.keys()) taken.add(name)
    return outcome
  })
}

function append<Key, Item>(map: Map<Key, Item[]>, key: Key, item: Item): void {
  const items = map.get(key)
  if (items) items.push(item)
  else map.set(key, [item])
}
