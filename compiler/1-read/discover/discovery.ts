import type { ManifestRecord, PluginRecord } from '../../../src/index/index-format.js'
import { type Finding, finding } from '../../diagnostics/diagnostics.js'
import { limits } from '../../files/limits.js'
import type { Unit } from '../../records/unit.js'
import type { ManifestFile } from './read-manifest.js'

/** The sources of a plugin's name, in order of precedence; `folder`: its manifest cannot be read. */
export const NAMED_BY = ['marketplace', 'plugin', 'folder'] as const

export type NamedBy = (typeof NAMED_BY)[number]

/** A kind of a folder's manifests; `broken`: it is not known which plugins one of them names. */
export type ManifestKind = ManifestFile['kind'] | 'broken'

/** The units of a directory, and the manifests that list them. */
export interface Discovery {
  /** In search order. No place is in two of them. */
  units: Unit[]
  /** The paths of all their places. */
  taken: Set<string>
  /** Manifests that count, in the order in which they were read. */
  manifests: ManifestRecord[]
  /** The plugins of the directory itself; not those that are elsewhere. */
  plugins: PluginRecord[]
  /** The first description of each plugin, by name. */
  named: Map<string, { folder: string; manifest: string; by: NamedBy }>
  /** The names that are known to come, which no folder before takes that has less right to one. */
  reserved: ReadonlyMap<string, NamedBy>
  /** The names that a folder took which has less right to them than one that came later. */
  late: Map<string, NamedBy>
  /** The folders of listed plugins whose own manifests were looked for. */
  described: Set<string>
  /** Folders that belong to a plugin with all that is in them. */
  folders: Map<string, Unit>
  /** Faults of manifests, each with the manifest's path. */
  findings: { path: string; finding: Finding }[]
  /** The number of faults of each rule in each manifest. */
  counts: Map<string, number>
  /** Folders whose skills do not load, since the manifest that would name them has a fault. */
  closed: Set<string>
  top: ReadonlySet<ManifestKind>
  /** Folders, relative to the directory, in which something new may be a place of skills. */
  listed: Set<string>
}

/** @param reserved the names of plugins that are known to come */
export function emptyDiscovery(reserved: Discovery['reserved'] = new Map()): Discovery {
  return {
    units: [],
    taken: new Set(),
    manifests: [],
    plugins: [],
    named: new Map(),
    described: new Set(),
    reserved,
    late: new Map(),
    folders: new Map(),
    findings: [],
    counts: new Map(),
    closed: new Set(),
    top: new Set(),
    listed: new Set(['']),
  }
}

/** Adds a unit with the places that no earlier unit has; false if none are left. */
export function addUnit({ units, taken }: Discovery, unit: Unit): boolean {
  const places = unit.places.filter(({ path }) => {
    const isFree = !taken.has(path)
    taken.add(path)
    return isFree
  })
  if (places.length > 0) units.push({ ...unit, places })
  return places.length > 0
}

/** Adds the fault of a manifest, unless it has many of the kind. */
export function addFinding(
  { findings, counts }: Discovery,
  path: string,
  ...found: Parameters<typeof finding>
): void {
  const key = `${found[0]} ${path}`
  const count = (counts.get(key) ?? 0) + 1
  counts.set(key, count)
  if (count <= limits.findingsPerRule) findings.push({ path, finding: finding(...found) })
}
