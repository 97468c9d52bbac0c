import { byCodePoint } from '../base/code-point-order.js'
import { namespaceOf } from '../skill/names.js'
import type { OfferedTool } from './offered-tool.js'

/** Skills that a catalog counts without naming them. */
export interface SkillGroup {
  name: string
  skills: number
}

const OTHERS = 'others'

/** The group of each tool: its namespace, or else the first folder that it lies in, up to the path entry itself. */
export function groupsOf<Tool extends OfferedTool>(
  tools: readonly Tool[],
  placeOf: (tool: Tool) => SkillPlace,
): string[] {
  const lastSegments = new Map<string, string>()
  return tools.map(tool => {
    const { name, kind } = tool
    const { entry, file } = placeOf(tool)
    const group = namespaceOf(name) || firstFolder(file, kind)
    if (group !== '') return group
    const last = lastSegments.get(entry) ?? (lastSegment(entry) || OTHERS)
    lastSegments.set(entry, last)
    return last
  })
}

/** The path entry of a tool, and its file there. */
export interface SkillPlace {
  entry: string
  file: string
}

/** The first folder above a skill, whose own folder does not count. */
function firstFolder(file: string, kind: OfferedTool['kind']): string {
  const end = file.indexOf('/')
  const isAbove = end !== -1 && (kind !== 'folder' || file.includes('/', end + 1))
  return isAbove ? file.slice(0, end) : ''
}

function lastSegment(path: string): string | undefined {
  return path
    .split(/[\\/]/)
    .filter(segment => segment !== '')
    .at(-1)
}

/** The number of tools in each group. */
export type GroupCounts = ReadonlyMap<string, number>

/** Counts tools by their groups. */
export function countGroups(groups: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const group of groups) counts.set(group, (counts.get(group) ?? 0) + 1)
  return counts
}

/** The counts without some of the tools. */
export function countsWithout(counts: GroupCounts, groups: readonly string[]): GroupCounts {
  const rest = new Map(counts)
  for (const group of groups) rest.set(group, (rest.get(group) ?? 0) - 1)
  return rest
}

/**
 * The groups that have tools, the largest first.
 *
 * @param most how many groups are counted apart; the others are one group, which comes last
 */
export function largestGroups(counts: GroupCounts, most: number): SkillGroup[] {
  let others = counts.get(OTHERS) ?? 0
  const apart = [...counts].filter(([name, skills]) => name !== OTHERS && skills > 0)
  const sorted = apart.sort(([a, one], [b, other]) => other - one || byCodePoint(a, b))
  for (const [, skills] of sorted.slice(most)) others += skills
  const largest = sorted.slice(0, most).map(([name, skills]) => ({ name, skills }))
  return others > 0 ? [...largest, { name: OTHERS, skills: others }] : largest
}
