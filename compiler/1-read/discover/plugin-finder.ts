import { isBelow } from '../../../src/index/unit-around.js'
import type { Unit } from '../../records/unit.js'
import { skillFileOf } from '../walk/skill-names.js'
import type { WalkOptions } from '../walk/walk.js'
import { discoverPlugins } from './discover-plugins.js'
import { type Discovery, emptyDiscovery } from './discovery.js'
import { mayHaveManifest } from './manifest-places.js'

/**
 * Makes a function that tells a walk of a plain entry which folders are plugins: those with a manifest, and
 * those that a marketplace around them lists. Below a marketplace no other folder is a plugin.
 *
 * @param reserved the names of plugins that are known to come
 * @param named the plugins that are known besides
 */
export function pluginFinder(
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
