import { hash } from 'node:crypto'
import type { Dirent } from 'node:fs'
import { listingText } from '../../../src/index/digested-texts.js'
import { isBelow } from '../../../src/index/unit-around.js'
import { inside } from '../../records/walked.js'
import { isDirectory, peekDirectory, realPath } from '../walk/look.js'
import { isSkillFolder } from '../walk/skill-names.js'
import { discoverPlugins } from './discover-plugins.js'
import { addUnit, type Discovery, emptyDiscovery } from './discovery.js'

/**
 * Finds the units of a repository: its plugins, as manifests name them, and the conventional places. Reads
 * manifests and listings, and no skill.
 *
 * @param isIgnored true for a path, relative to the directory, whose unit does not count
 */
export function discoverUnits(root: string, isIgnored: (path: string) => boolean = () => false): Discovery {
  const discovery = emptyDiscovery()
  discovery.top = discoverPlugins({ root, folder: '', real: realPath(root) }, discovery)
  // Skills must not load without the namespace of such a manifest.
  if (!discovery.top.has('broken')) discoverConventional(root, discovery)
  const isClosed = (path: string): boolean => [...discovery.closed].some(closed => isBelow(path, closed))
  const units = discovery.units
    .map(unit => ({
      ...unit,
      // A plugin keeps its skills in the folder of one that does not load.
      places: unit.places.filter(({ path }) => !isIgnored(path) && (unit.namespace || !isClosed(path))),
    }))
    .filter(({ places }) => places.length > 0)
  const places = units.flatMap(unit => unit.places.map(({ path }) => path))
  return { ...discovery, units, listed: new Set([...discovery.listed, ...places]) }
}

/**
 * The digest of everything that determines a repository's units and the entries at their top. Another
 * digest shows that something was added, removed or renamed there.
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

/** The hosts that read skills from `.<host>/skills`, in search order. */
const HOSTS = [
  ...['agents', 'claude', 'github', 'codex', 'opencode', 'cursor', 'gemini'],
  ...['cline', 'codebuddy', 'commandcode', 'continue', 'factory', 'goose', 'grok', 'iflow', 'junie', 'kilo'],
  ...['kilocode', 'kimchi', 'kiro', 'minimax', 'mux', 'neovate', 'openhands', 'pi', 'posit/assistant'],
  ...['qoder', 'roo', 'trae', 'windsurf', 'zcode', 'zencoder'],
]

/** The directories of a repository in which skills lie by convention, in search order. */
const CONVENTIONAL_DIRECTORIES: readonly string[] = ['skills', ...HOSTS.map(host => `.${host}/skills`)]

/** Those that `npx skills` does not know: it takes a repository with skills in these alone for one without a convention. */
const OURS = ['.cursor/skills', '.gemini/skills']

/** True for a path in a conventional directory that only this program knows. */
export function isOursAlone(path: string): boolean {
  return OURS.some(directory => isBelow(path, directory))
}

/** Adds the conventional directories of a repository, and the skills that lie in it as folders. */
function discoverConventional(root: string, discovery: Discovery): void {
  for (const path of CONVENTIONAL_DIRECTORIES) {
    const [parent = ''] = path.split('/')
    if (isDirectory(inside(root, path))) {
      discovery.listed.add(path)
      addUnit(discovery, { path, places: [{ path, kind: 'tree' }] })
    } else if (parent !== path && isDirectory(inside(root, parent))) discovery.listed.add(parent)
  }
  if (isSkillFolder(root)) addUnit(discovery, { path: '', places: [{ path: '', kind: 'folder' }] })
  for (const { name } of peekDirectory(root).filter(isCandidate)) {
    if (!isSkillFolder(inside(root, name))) continue
    discovery.listed.add(name)
    addUnit(discovery, { path: name, places: [{ path: name, kind: 'folder' }] })
  }
}

function isCandidate(item: Dirent): boolean {
  const { name } = item
  return !name.startsWith('.') && name !== 'node_modules' && (item.isDirectory() || item.isSymbolicLink())
}
