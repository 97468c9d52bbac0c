import { nearestToPattern, patternMatches } from '../diagnostics/check-patterns.js'
import type { Project } from '../project/project.js'
import type { LinkedPart } from '../project/project-part.js'

/**
 * * Finds the patterns of `allowed-tools` that match no tool of any searched directory, each with the name
 * that it may have meant, or an empty string. Only all directories together show these, so they are in no
 * index.
 */
export async function unmatchedPatterns(
  parts: readonly LinkedPart[],
  project: Project,
): Promise<ReadonlyMap<string, string>> {
  const suspected = new Set(parts.flatMap(suspects))
  if (suspected.size === 0) return new Map()
  const names = new Set(parts.flatMap(({ linked }) => [...linked.names.keys()]))
  const unmatched = [...suspected].filter(pattern => !patternMatches(pattern, names))
  if (unmatched.length === 0) return new Map()
  // Somebody else's directories are read only where they could know.
  const theirs = new Set((await project.readOthers()).flatMap(other => other.names.names()))
  const all = new Set([...names, ...theirs])
  return new Map(
    unmatched
      .filter(pattern => !patternMatches(pattern, theirs))
      .map(pattern => [pattern, nearestToPattern(pattern, all) ?? '']),
  )
}

/** The patterns that no tool of the library or of another host matches. */
function suspects({ linked: { units, findings } }: LinkedPart): string[] {
  return units
    .flatMap(({ path, findings: own }) => [...own, ...(findings.get(path) ?? [])])
    .filter(({ rule }) => rule === 'pattern-unmatched')
    .map(({ found: [pattern = ''] }) => pattern)
}
