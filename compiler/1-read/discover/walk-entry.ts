import { inCodePointOrder } from '../../../src/base/code-point-order.js'
import { isRefusal } from '../../../src/base/refusal.js'
import type { ManifestRecord, PluginRecord } from '../../../src/index/index-format.js'
import { isBelow, namespaceAt, unitAround } from '../../../src/index/unit-around.js'
import { isName } from '../../../src/skill/names.js'
import { namespaceProblem, qualifiedName } from '../../../src/skill/namespaces.js'
import type { PathEntry, SearchDirectory } from '../../../src/skill/path-entry.js'
import { FILE_START, finding } from '../../diagnostics/diagnostics.js'
import { type Unit, WHOLE } from '../../records/unit.js'
import { inside, type Skipped, type Walk } from '../../records/walked.js'
import { describesEntry } from '../markdown/parse-file.js'
import { listDirectory } from '../walk/look.js'
import { skillFileOf } from '../walk/skill-names.js'
import { type WalkOptions, walk } from '../walk/walk.js'
import { discoverPlugins } from './discover-plugins.js'
import { discoverUnits, discoveryDigest, isOursAlone } from './discover-units.js'
import { type Discovery, emptyDiscovery } from './discovery.js'
import { findElsewhere, proposedPaths, type SkillFolder } from './elsewhere.js'
import { mayHaveManifest } from './read-manifest.js'

/** The walk of a path entry, with the data of its manifests. */
export interface WalkedEntry extends Walk {
  manifests: ManifestRecord[]
  plugins: PluginRecord[]
  /** The folders, relative to the directory, whose change may bring or remove a unit; absent in a plain entry. */
  listed?: string[]
  /** True where a manifest at the top of a repository cannot be read. */
  isBroken?: boolean
  /** The skills of a repository to which no manifest and no convention leads, where they were searched for. */
  elsewhere?: Elsewhere
}

/** Skills to which no manifest and no convention leads. */
interface Elsewhere {
  places: SkillFolder[]
  /**
   * Why they were taken for skills of the repository: it has no others (`alone`), or none but in places that
   * other programs do not know (`beside`). Null where they were only counted.
   */
  guessed: 'alone' | 'beside' | null
  /** The path entries under which all of its skills are found. */
  paths: PathEntry[]
}

export interface WalkEntryOptions extends Pick<WalkOptions, 'isIgnored' | 'onDirectory'> {
  /**
   * Counts the skills of a repository that are in none of its units, or also reads them if all others are in places
   * that other programs do not know. Default: neither, unless the units have no skills.
   */
  elsewhere?: 'count' | 'read'
}

/** Finds the skills of a path entry, each with its unit: everywhere in a plain one, and in a repository in its units. */
export function walkEntry(
  { dir, discover, namespace }: Pick<SearchDirectory, 'dir' | 'discover' | 'namespace'>,
  options: WalkEntryOptions,
): WalkedEntry {
  const isRepository = discover === true && mayList(dir)
  return withNamespaces(
    isRepository ? walkRepository(dir, options) : walkWithPlugins(dir, options),
    namespace,
  )
}

/**
 * Walks a directory in which folders with manifests are plugins.
 *
 * @param named the plugins that are known besides
 * @param isOpen false for a folder that is not a plugin, with or without a manifest
 */
function walkWithPlugins(
  dir: string,
  options: WalkOptions,
  named: Discovery['named'] = new Map(),
  isOpen: (folder: string) => boolean = () => true,
  reserved: Discovery['reserved'] = new Map(),
): WalkedEntry {
  const { unitAt, found } = pluginFinder(dir, reserved, named)
  const walked = walk(dir, {
    ...options,
    describesEntry,
    unitAt: (folder, listing) => (isOpen(folder.path) ? unitAt(folder, listing) : null),
  })
  // A manifest came after a folder that has the name of its plugin, which the plugin should have.
  const late = [...found.late].filter(([name, by]) => reserved.get(name) !== by)
  if (late.length === 0) return withManifests(walked, found)
  return walkWithPlugins(dir, options, named, isOpen, new Map([...reserved, ...late]))
}

function walkRepository(dir: string, options: WalkEntryOptions): WalkedEntry {
  const { isIgnored = () => false, onDirectory } = options
  const found = discoverUnits(dir, isIgnored)
  const digest = discoveryDigest(dir, found)
  const listed = inCodePointOrder(found.listed)
  for (const folder of listed) onDirectory?.(folder === '' ? dir : inside(dir, folder))
  const isOut = (path: string): boolean => isIgnored(path) || found.closed.has(path)
  const isBroken = found.top.has('broken')
  const known = { listing: digest, listed, isBroken }
  // It is unknown which skills belong to plugins, so it is read without conventions.
  if (isBroken) return { ...walkWithPlugins(dir, options), ...known }
  const mayHavePlugins = !found.top.has('marketplace')
  const walkUnits = (units: readonly Unit[]): WalkedEntry =>
    walkWithPlugins(
      dir,
      { isIgnored: isOut, onDirectory, units },
      found.named,
      folder => mayHavePlugins && folder !== '' && unitAround(units, folder)?.namespace === undefined,
    )
  const withTop = (walked: WalkedEntry, more?: Skipped[]): WalkedEntry => {
    const { manifests, plugins, skipped } = withManifests(walked, found, more)
    return {
      ...walked,
      manifests: [...manifests, ...walked.manifests],
      plugins: [...plugins, ...walked.plugins],
      skipped,
      ...known,
    }
  }
  const walked = walkUnits(found.units)
  const files = [...walked.skills, ...walked.skipped.filter(({ counts }) => counts)]
  const isEmpty = files.length === 0
  const isSearched = isEmpty || options.elsewhere !== undefined
  const places = isSearched ? findElsewhere(dir, found, isOut, mayHavePlugins) : []
  if (places.length === 0) return withTop(walked)
  const isBeside = options.elsewhere === 'read' && files.every(({ path }) => isOursAlone(path))
  const guessed = isEmpty ? 'alone' : isBeside ? 'beside' : null
  const elsewhere = { places, guessed, paths: proposedPaths(isEmpty ? [] : found.units, places) } as const
  const all = guessed ? walkUnits([...found.units, ...places.map(guessedUnit)]) : walked
  return { ...withTop(all, [elsewhereFinding(elsewhere)]), elsewhere }
}

function guessedUnit({ path }: SkillFolder): Unit {
  return { path, places: [{ path, kind: 'tree' }] }
}

/** How many places a message names; a configuration of more path entries is not written out in it. */
const SHOWN = 3

function elsewhereFinding({ places, guessed, paths }: Elsewhere): Skipped {
  const skills = places.reduce((sum, place) => sum + place.skills, 0)
  const rule = guessed ? 'paths-guessed' : 'skills-elsewhere'
  const shown = places.slice(0, SHOWN).map(({ path }) => (path === '' ? '.' : path))
  const more = places.length - shown.length
  const where = `${shown.join(', ')}${more > 0 ? ` and ${more} more ${more === 1 ? 'place' : 'places'}` : ''}`
  const written = paths.length <= SHOWN + 1 ? JSON.stringify(paths) : ''
  return { path: '', finding: finding(rule, FILE_START, String(skills), written, where), counts: false }
}

function withManifests(
  walked: Walk,
  { manifests, plugins, findings }: Pick<Discovery, 'manifests' | 'plugins' | 'findings'>,
  more: readonly Skipped[] = [],
): WalkedEntry {
  const faults = findings.map(one => ({ ...one, counts: false }))
  return { ...walked, manifests, plugins, skipped: [...more, ...faults, ...walked.skipped] }
}

/** False for a directory that may not be listed, which the walk of a plain entry reports. */
function mayList(dir: string): boolean {
  try {
    listDirectory(dir)
    return true
  } catch (error) {
    if (isRefusal(error)) return false
    throw error
  }
}

/**
 * Returns a function that finds the plugins in a plain entry during its walk: folders with a manifest, and
 * those that a marketplace around them lists. Below a marketplace no other folder is a plugin.
 *
 * @param reserved the names of plugins that later entries add
 * @param named the plugins that are known besides
 */
function pluginFinder(
  root: string,
  reserved: Discovery['reserved'],
  named: Discovery['named'],
): { unitAt: NonNullable<WalkOptions['unitAt']>; found: Discovery } {
  const found = { ...emptyDiscovery(reserved), named: new Map(named) }
  const marketplaces: string[] = []
  const units = new Map<string, Unit>()
  const discover = (folder: string, real: string): 'closed' | null => {
    const before = found.units.length
    const kinds = discoverPlugins({ root, folder, real }, found)
    for (const unit of found.units.slice(before)) units.set(unit.path, unit)
    for (const [path, unit] of found.folders) units.set(path, unit)
    const isMarketplace = kinds.has('marketplace') && !kinds.has('broken')
    if (isMarketplace) marketplaces.push(folder)
    // A plugin that is not used has all that is in its folder, which never loads without its namespace.
    return kinds.size > 0 && !isMarketplace && !units.has(folder) ? 'closed' : null
  }
  const unitAt: NonNullable<WalkOptions['unitAt']> = ({ path, real }, listing) => {
    const mayBePlugin = mayHaveManifest(listing, () => skillFileOf(listing) !== undefined)
    // Most entries have no plugins.
    if (!mayBePlugin && units.size + found.closed.size === 0) return null
    const isListed = marketplaces.some(folder => isBelow(path, folder))
    const closed = !isListed && mayBePlugin ? discover(path, real) : null
    if (found.closed.has(path)) return 'closed'
    return units.get(path) ?? closed
  }
  return { unitAt, found }
}

/**
 * Applies the namespace of a path entry, if it has one, to a walk's skills, and reserves for skipped files the
 * names that they would have. A skill never loads without its namespace.
 */
export function withNamespaces<Walked extends Walk>(walked: Walked, namespace: string | undefined): Walked {
  const unitOf = unitFinder(walked.units, namespace)
  for (const one of walked.skipped)
    if (one.names)
      one.names = one.names.map(name => qualifiedName(unitOf(one.path).namespace, name)).filter(isName)
  if (namespace === undefined) return walked
  const skills = walked.skills.filter(skill => {
    skill.unit = unitOf(skill.path)
    const problem = skill.unit.namespace === undefined ? null : namespaceProblem(skill.unit.namespace)
    if (problem !== null) {
      const why = finding('namespace-invalid', FILE_START, skill.unit.namespace ?? '', problem)
      walked.skipped.push({ path: skill.path, finding: why, counts: true })
    }
    return problem === null
  })
  return { ...walked, skills }
}

/** Finds the unit of a file by its path in a path entry, which may configure a namespace. */
export function unitFinder(units: readonly Unit[], namespace: string | undefined): (path: string) => Unit {
  const known = new Map<string, Unit>()
  return path => {
    const unit = unitAround(units, path) ?? WHOLE
    if (namespace === undefined) return unit
    const own = namespaceAt(path, { namespace })
    const key = `${unit.path}\0${own}`
    const named = known.get(key) ?? { ...unit, ...(own !== '' && { namespace: own }) }
    known.set(key, named)
    return named
  }
}
