import { resolve } from 'node:path'
import type { PathEntry } from '../src/skill/path-entry.js'
import { emptyDiscovery } from './1-read/discover/discovery.js'
import { findElsewhere, proposedPaths } from './1-read/discover/elsewhere.js'
import { walkEntry } from './1-read/discover/walk-entry.js'

/** The path entries that a project without a configuration may have. */
export interface ProposedPaths {
  /** Relative to the project's directory; empty where it has no place for skills. */
  paths: PathEntry[]
  /** How many skill files are in them. */
  skills: number
}

/**
 * Finds the path entries under which the skills of a directory are found: the conventional ones, and those of
 * other folders with skills.
 */
export function proposePaths(directory: string): ProposedPaths {
  const dir = resolve(directory)
  const { elsewhere, skills, skipped, units, isBroken } = walkEntry(
    { dir, discover: true },
    { elsewhere: 'read' },
  )
  if (isBroken) {
    // Any other entry would load skills without the namespace that a repaired manifest would assign.
    const places = findElsewhere(dir, emptyDiscovery(), () => false, false)
    return { paths: [{ dir: '.', discover: true }], skills: sum(places) }
  }
  const found = skills.length + skipped.filter(({ counts }) => counts).length
  if (elsewhere?.guessed) return { paths: elsewhere.paths, skills: found }
  return { paths: elsewhere?.paths ?? proposedPaths(units, []), skills: found + sum(elsewhere?.places ?? []) }
}

function sum(places: readonly { skills: number }[]): number {
  return places.reduce((total, { skills }) => total + skills, 0)
}
