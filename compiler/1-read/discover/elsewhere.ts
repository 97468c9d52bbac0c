import { posix } from 'node:path'
import { byCodePoint } from '../../../src/base/code-point-order.js'
import { isBelow } from '../../../src/index/unit-around.js'
import type { PathEntry } from '../../../src/skill/path-entry.js'
import { limits } from '../../files/limits.js'
import type { Unit } from '../../records/unit.js'
import { inside } from '../../records/walked.js'
import { below, peekDirectory } from '../walk/look.js'
import { isSingleFile, skillFileOf } from '../walk/skill-names.js'
import type { Discovery } from './discovery.js'
import { mayHaveManifest } from './read-manifest.js'

/** A folder of skills that no manifest names and no convention leads to. */
export interface SkillFolder {
  /** Relative to the directory, `/`-separated. */
  path: string
  /** How many skill files are in and below it. */
  skills: number
  isPlugin?: boolean
}

/** Folders of installed, built or versioned files. */
const SKIPPED = new Set(['.agent-apps', '.git', '__pycache__', 'build', 'dist', 'node_modules'])

/**
 * Finds the skills of a repository that are in none of its units, a few folders deep, grouped by the folders that contain
 * them, and plugins by their folders. No such folder is inside another one.
 *
 * @param mayHavePlugins false where a folder with a manifest is not a plugin
 */
export function findElsewhere(
  root: string,
  { taken, closed }: Pick<Discovery, 'taken' | 'closed'>,
  isIgnored: (path: string) => boolean,
  mayHavePlugins: boolean,
): SkillFolder[] {
  const counts = new Map<string, number>()
  const plugins = new Set<string>()
  const count = (path: string): void => void counts.set(path, (counts.get(path) ?? 0) + 1)
  const search = (path: string, depth: number): void => {
    const listing = peekDirectory(inside(root, path))
    const isSkill = (): boolean => skillFileOf(listing) !== undefined
    if (path !== '' && mayHavePlugins && mayHaveManifest(listing, isSkill)) plugins.add(path)
    if (path !== '' && isSkill()) return count(plugins.has(path) ? path : parentOf(path))
    for (const item of listing) {
      const { name } = item
      const at = below(path, name)
      if (item.isFile() && isSingleFile(name) && !isIgnored(at)) count(path)
      const isOpen = item.isDirectory() && depth < limits.searchDepth && !SKIPPED.has(name)
      if (isOpen && !taken.has(at) && !closed.has(at) && !isIgnored(at)) search(at, depth + 1)
    }
  }
  search('', 0)
  for (const path of plugins)
    if ([...counts.keys()].some(place => isBelow(place, path))) counts.set(path, counts.get(path) ?? 0)
  return outermost(counts).map(place => (plugins.has(place.path) ? { ...place, isPlugin: true } : place))
}

function parentOf(path: string): string {
  return posix.dirname(path).replace(/^\.$/, '')
}

/** The outermost folders, with the counts of the folders inside them. */
function outermost(counts: ReadonlyMap<string, number>): SkillFolder[] {
  const places: SkillFolder[] = []
  for (const [path, skills] of [...counts].sort(([one], [other]) => byCodePoint(one, other))) {
    const around = places.find(place => isBelow(path, place.path))
    if (around) around.skills += skills
    else places.push({ path, skills })
  }
  return places
}

/** How many folders side by side are named by one pattern. */
const ALIKE = 3

/**
 * The path entries under which a repository's skills are found, those that no manifest and no convention leads
 * to included.
 */
export function proposedPaths(units: readonly Unit[], elsewhere: readonly SkillFolder[]): PathEntry[] {
  // The whole repository as one more path would repeat all of its skills.
  if (elsewhere.some(({ path }) => path === '')) return ['.']
  const isPlain = ({ path, namespace, places }: Unit): boolean =>
    namespace === undefined && places.every(place => place.kind === 'tree' && place.path === path)
  const known: PathEntry[] = units.every(isPlain)
    ? units.map(({ path }) => `./${path}`)
    : [{ dir: '.', discover: true }]
  return [...known, ...entriesFor(elsewhere)]
}

/** The path entries that lead to folders of skills; many that differ in one name alone become one glob. */
function entriesFor(places: readonly SkillFolder[]): string[] {
  const counts = new Map<string, number>()
  for (const place of places) counts.set(globOf(place), (counts.get(globOf(place)) ?? 0) + 1)
  const entries = places.map(place => {
    const glob = globOf(place)
    return `./${(counts.get(glob) ?? 0) >= ALIKE ? glob : place.path}`
  })
  return [...new Set(entries)]
}

// `plugins/acme/skills` becomes `plugins/*/skills`, and the plugin `plugins/acme` becomes `plugins/*`.
function globOf({ path, isPlugin }: SkillFolder): string {
  const parts = path.split('/')
  if (isPlugin) return parts.length < 2 ? path : parts.with(-1, '*').join('/')
  return parts.length < 3 ? path : parts.with(-2, '*').join('/')
}
