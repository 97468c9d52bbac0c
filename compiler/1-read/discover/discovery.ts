import type { ManifestRecord, PluginRecord } from '../../../src/index/index-format.js'
import { type Finding, finding } from '../../diagnostics/diagnostics.js'
import { limits } from '../../files/limits.js'
import type { Unit } from '../../records/unit.js'

/** The units of a directory, and what told of them. */
export interface Discovery {
  /** In search order. No place is in two of them. */
  units: Unit[]
  /** The paths of all their places. */
  taken: Set<string>
  /** Manifests that count, in the order in which they were read. */
  manifests: ManifestRecord[]
  /** The plugins of the directory itself; not those that are elsewhere. */
  plugins: PluginRecord[]
  /** By name: where each plugin is described first. */
  named: Map<string, { folder: string; manifest: string; isListed: boolean }>
  /** The names of plugins that a marketplace lists, and so are those of no other folder, wherever that comes. */
  reserved: ReadonlySet<string>
  /** The names of plugins that a marketplace lists, and that a folder with a manifest of its own has before it. */
  listedLate: Set<string>
  /** The folders of listed plugins whose own manifests were looked for. */
  described: Set<string>
  /** Folders that belong to a plugin with all that is in them. */
  folders: Map<string, Unit>
  /** Faults of manifests, each with the manifest's path. */
  findings: { path: string; finding: Finding }[]
  /** Folders whose skills do not load, since the manifest that would name them has a fault. */
  closed: Set<string>
  /** True where a manifest at the top cannot be read: nobody knows which skills it names. */
  isBroken: boolean
  /** Folders, relative to the directory, in which something new may be a place of skills. */
  listed: Set<string>
}

/** @param reserved the names of plugins that marketplaces are known to list */
export function emptyDiscovery(reserved: ReadonlySet<string> = new Set()): Discovery {
  return {
    units: [],
    taken: new Set(),
    manifests: [],
    plugins: [],
    named: new Map(),
    described: new Set(),
    reserved,
    listedLate: new Set(),
    folders: new Map(),
    findings: [],
    closed: new Set(),
    isBroken: false,
    listed: new Set(['']),
  }
}

/** Adds a unit with the places that no unit before it has; false where it has none. */
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
  { findings }: Discovery,
  path: string,
  ...found: Parameters<typeof finding>
): void {
  const [rule] = found
  const same = findings.filter(one => one.path === path && one.finding.rule === rule)
  if (same.length < limits.findingsPerRule) findings.push({ path, finding: finding(...found) })
}
