import { hash } from 'node:crypto'
import { listingText } from '../../../src/index/digested-texts.js'
import { isBelow } from '../../../src/index/unit-around.js'
import { inside } from '../../records/walked.js'
import { peekDirectory, realPath } from '../walk/look.js'
import { discoverConventional } from './conventional-units.js'
import { discoverPlugins } from './discover-plugins.js'
import { type Discovery, emptyDiscovery } from './discovery.js'

/**
 * Finds the units of a repository: its plugins, as manifests name them, and the conventional places. Reads
 * manifests and listings, and no skill.
 *
 * @param isIgnored true for a path, relative to the directory, whose unit does not count
 */
export function discoverUnits(root: string, isIgnored: (path: string) => boolean = () => false): Discovery {
  const discovery = emptyDiscovery()
  discovery.top = discoverPlugins({ root, folder: '', real: realPath(root) }, discovery)
  // Skills must not load without the namespace that such a manifest would give them.
  if (!discovery.top.has('broken')) discoverConventional(root, discovery)
  const isClosed = (path: string): boolean => [...discovery.closed].some(closed => isBelow(path, closed))
  const units = discovery.units
    .map(unit => ({
      ...unit,
      // A plugin keeps what it has in the folder of one that does not load.
      places: unit.places.filter(({ path }) => !isIgnored(path) && (unit.namespace || !isClosed(path))),
    }))
    .filter(({ places }) => places.length > 0)
  const places = units.flatMap(unit => unit.places.map(({ path }) => path))
  return { ...discovery, units, listed: new Set([...discovery.listed, ...places]) }
}

/**
 * The digest of all that decides which units a repository has and what is at their top. Whoever finds another
 * one knows that something was added, removed or renamed there.
 */
export function discoveryDigest(root: string, { units, manifests }: Discovery): string {
  const places = units.map(({ path, namespace, places: its }) => [
    path,
    namespace,
    its.map(place => [
      place.path,
      place.kind === 'tree'
        ? listingText(peekDirectory(inside(root, place.path)).map(({ name }) => name))
        : null,
    ]),
  ])
  return hash('sha256', JSON.stringify([places, manifests]))
}
