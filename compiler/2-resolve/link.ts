import { type Finding, finding } from '../diagnostics.js'
import type { LinkedDirectory, NamedTool } from '../linked-directory.js'
import type { SkillUnit } from '../skill-unit.js'

/**
 * Makes a directory's table of names. A name that stands twice is the first file's;
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

function append<Key, Item>(map: Map<Key, Item[]>, key: Key, item: Item): void {
  const items = map.get(key)
  if (items) items.push(item)
  else map.set(key, [item])
}
