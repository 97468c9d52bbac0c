import { byCodePoint } from '../base/code-point-order.js'
import { namespaceOf } from '../skill/names.js'
import type { OfferedTool } from './offered-tool.js'

/** Skills that a catalog counts without naming them. */
export interface SkillGroup {
  name: string
  skills: number
}

const OTHERS = 'others'

/** The group of a tool: its namespace, or else the first folder that it lies in, up to the path entry itself. */
export function groupOf({ name, kind, origin }: OfferedTool): string {
  const { entry = '', file = '' } = origin ?? {}
  const [folder] = file.split('/').slice(0, kind === 'folder' ? -2 : -1)
  return namespaceOf(name) || folder || lastSegment(entry) || OTHERS
}

function lastSegment(path: string): string | undefined {
  return path
    .split(/[\\/]/)
    .filter(segment => segment !== '')
    .at(-1)
}

/**
 * Counts tools by group, the largest group first.
 *
 * @param most how many groups are counted apart; the others are one group, which comes last
 */
export function countGroups(groups: readonly string[], most: number): SkillGroup[] {
  const counts = new Map<string, number>()
  for (const group of groups) counts.set(group, (counts.get(group) ?? 0) + 1)
  let others = counts.get(OTHERS) ?? 0
  counts.delete(OTHERS)
  const sorted = [...counts].sort(([a, one], [b, other]) => other - one || byCodePoint(a, b))
  for (const [, skills] of sorted.slice(most)) others += skills
  const largest = sorted.slice(0, most).map(([name, skills]) => ({ name, skills }))
  return others > 0 ? [...largest, { name: OTHERS, skills: others }] : largest
}
