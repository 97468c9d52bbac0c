import { posix } from 'node:path'
import { isBelow } from '../../../src/index/unit-around.js'
import { namespaceProblem } from '../../../src/skill/namespaces.js'
import type { Finding, Place } from '../../diagnostics/diagnostics.js'
import type { Unit, UnitFolder } from '../../records/unit.js'
import { inside } from '../../records/walked.js'
import { below, isDirectory, isWithin, realPath, resolveLink } from '../walk/look.js'
import { isSkillFolder } from '../walk/skill-names.js'
import { walk } from '../walk/walk.js'
import {
  addFinding,
  addUnit,
  type Discovery,
  type ManifestKind,
  NAMED_BY,
  type NamedBy,
} from './discovery.js'
import {
  describedPlugin,
  joined,
  listedPlugins,
  type PluginEntries,
  type PluginEntry,
} from './plugin-entries.js'
import {
  MANIFEST_FILES,
  type ManifestFile,
  type ReadManifest,
  readManifest,
  type UnreadableManifest,
} from './read-manifest.js'

/** A folder that manifests describe: a repository of plugins, or a plugin. */
interface Described {
  /** The path entry's directory, absolute. */
  root: string
  /** The folder, relative to it. */
  folder: string
  /** The folder's real path, which no path of its manifests leaves. */
  real: string
}

/**
 * Adds the plugins that the manifests of a folder list. The first manifest that names a plugin describes
 * it, unless its name is reserved; later ones add others. If one cannot be read and no other describes the
 * folder, the folder is a plugin with the folder's name.
 *
 * @returns the kinds of the manifests there
 */
export function discoverPlugins(described: Described, discovery: Discovery): Set<ManifestKind> {
  const kinds = new Set<ManifestKind>()
  /** The faults that hide which plugins a manifest names. */
  const faults: Fault[] = []
  const notLoaded: PluginEntries['broken'] = []
  for (const place of MANIFEST_FILES) {
    const path = below(described.folder, place.path)
    const manifest = readManifest(described.root, path, described.real)
    if (manifest === null || ('value' in manifest && isOther(place, manifest))) continue
    kinds.add(place.kind)
    note(manifest, path, discovery)
    if ('fault' in manifest) {
      faults.push({ path, finding: manifest.fault })
      continue
    }
    const origin = { manifest: path, host: place.host }
    const { entries, findings, broken, isUnknown } =
      place.kind === 'plugin'
        ? describedPlugin(manifest, origin)
        : listedPlugins(manifest, origin, written => typeof folderOf(written, '', described) === 'string')
    for (const finding of findings)
      if (isUnknown && finding.rule === 'manifest-invalid') faults.push({ path, finding })
      else addFinding(discovery, path, finding.rule, finding.place, ...finding.found)
    notLoaded.push(...broken)
    for (const entry of entries) {
      const isNew = takeName(
        entry.plugin.name,
        entry.isListed ? 'marketplace' : 'plugin',
        path,
        described,
        discovery,
      )
      if (isNew) addPlugin(entry, described, discovery)
      else if (isNew === false) {
        reportDuplicate(entry, discovery)
        notLoaded.push(entry)
      }
    }
  }
  // Only now are all folders taken that plugins which load have.
  for (const one of notLoaded) close(one, described, discovery)
  const [fault, ...others] = faults
  if (fault) {
    kinds.add('broken')
    addUnread([fault, ...others], described, discovery)
  }
  return kinds
}

/** A fault of a manifest, whose path is relative to the path entry. */
interface Fault {
  path: string
  finding: Finding
}

/**
 * Reserves a plugin's name.
 *
 * @returns false if another plugin has it, null if an earlier manifest listed this plugin
 */
function takeName(
  name: string,
  by: NamedBy,
  manifest: string,
  { folder }: Described,
  { named, reserved, late }: Discovery,
): boolean | null {
  const first = named.get(name)
  const rank = NAMED_BY.indexOf(by)
  const isReserved = NAMED_BY.indexOf(reserved.get(name) ?? by) < rank
  if (first === undefined && !isReserved) {
    named.set(name, { folder, manifest, by })
    return true
  }
  if (!isReserved && first?.manifest !== manifest && first?.folder === folder) return null
  if (first && rank < NAMED_BY.indexOf(first.by)) late.set(name, by)
  return false
}

/** Adds a folder with an unreadable manifest as a plugin of the folder's name, or reports why it does not load. */
function addUnread(faults: readonly [Fault, ...Fault[]], described: Described, discovery: Discovery): void {
  const { root, folder, real } = described
  const [{ path: manifest }] = faults
  const outcome: string[] = []
  // Another manifest may describe the folder.
  const isNamed = discovery.folders.has(folder) || discovery.units.some(({ path }) => path === folder)
  if (!isNamed) {
    const name = posix.basename(folder === '' ? real.replaceAll('\\', '/') : folder)
    const problem =
      namespaceProblem(name) ??
      (takeName(name, 'folder', manifest, described, discovery) ? null : 'is the name of another plugin')
    if (problem === null) addUnit(discovery, alone({ path: folder, kind: 'tree' }, name, manifest))
    else {
      discovery.closed.add(folder)
      const { length } = walk(inside(root, folder)).skills
      const its = length === 1 ? 'its 1 skill does' : `its ${length} skills do`
      outcome.push(`${its} not load, as the folder's name ${JSON.stringify(name)} ${problem}`)
    }
  }
  for (const { path, finding } of faults)
    addFinding(discovery, path, finding.rule, finding.place, ...finding.found, ...outcome)
}

/** Other programs have a `plugin.json`, too: in the folder itself only one with the name of a plugin is a manifest. */
function isOther({ path, kind }: ManifestFile, { value }: ReadManifest): boolean {
  if (path.includes('/')) return false
  return kind === 'plugin'
    ? typeof value.name !== 'string' || !/^[a-z\d]+(?:-[a-z\d]+)+$|^[a-z\d]{2,}$/.test(value.name)
    : !Array.isArray(value.plugins)
}

/** Keeps that a manifest counts: once it is edited, it may name others. */
function note(manifest: ReadManifest | UnreadableManifest, path: string, { manifests }: Discovery): void {
  const digest = 'fault' in manifest ? manifest.digest : manifest
  if (digest) manifests.push({ path, size: digest.size, sha256: digest.sha256 })
}

function addPlugin(entry: PluginEntry, described: Described, discovery: Discovery): void {
  const { plugin, manifest, placeOf } = entry
  const folder = folderOf(entry.source, '', described)
  if (typeof folder !== 'string')
    return addFinding(discovery, manifest, folder.rule, placeOf('source'), plugin.name, entry.source)
  const own = entry.isListed ? ownEntry(folder, entry, described, discovery) : null
  const { root } = described
  const listed = [
    ...listedPlaces(entry, folder, described, discovery),
    // A plugin's own manifest affects no other plugin's skills.
    ...(own
      ? listedPlaces(own, folder, { root, folder, real: realPath(inside(root, folder)) }, discovery)
      : []),
  ]
  const namespace = plugin.name
  const isWhole = !isReplaced(entry, own)
  const units = isWhole
    ? wholeUnits(entry, own, folder, listed, described)
    : listed.map(place => alone(place, namespace, manifest))
  if ((isWhole || !entry.isListed) && !discovery.folders.has(folder))
    discovery.folders.set(folder, {
      path: folder,
      namespace,
      places: [{ path: folder, kind: 'tree' }],
      manifest,
    })
  for (const { path } of units) discovery.listed.add(path)
  const added = units.filter(unit => addUnit(discovery, unit))
  if (added.length === 0 && units.some(({ places }) => places.length > 0)) reportDuplicate(entry, discovery)
  else discovery.plugins.push({ ...own?.plugin, ...plugin })
}

/**
 * True if a plugin lists all of its skills, and its folder may contain others that are not its own: if its
 * host defines it so, or a marketplace lists plugins that share its folder.
 */
function isReplaced({ skills, host, isListed, source }: PluginEntry, own: PluginEntry | null): boolean {
  const isShared = isListed && source === ''
  return (
    (skills !== undefined && (host === 'other' || isShared)) ||
    (own?.skills !== undefined && own.host === 'other')
  )
}

/** The units of a plugin whose skills are in its `skills/`, and in the other folders that it lists. */
function wholeUnits(
  { plugin: { name: namespace }, skills, manifest }: PluginEntry,
  own: PluginEntry | null,
  folder: string,
  listed: readonly UnitFolder[],
  { root }: Described,
): Unit[] {
  const skillsFolder = below(folder, 'skills')
  const places: UnitFolder[] = isDirectory(inside(root, skillsFolder))
    ? [{ path: skillsFolder, kind: 'tree' }]
    : (skills ?? own?.skills) === undefined && isSkillFolder(inside(root, folder))
      ? [{ path: folder, kind: 'folder' }]
      : []
  const its = listed.filter(({ path }) => isBelow(path, folder))
  const others = listed.filter(place => !its.includes(place))
  return [
    { path: folder, namespace, places: [...places, ...its], manifest },
    ...others.map(place => alone(place, namespace, manifest)),
  ]
}

function alone(place: UnitFolder, namespace: string, manifest: string): Unit {
  return { path: place.path, namespace, places: [place], manifest }
}

/** A plugin of a marketplace as its own manifest describes it; null without a readable one. */
function ownEntry(
  folder: string,
  { plugin: { name } }: PluginEntry,
  { root, folder: base, real }: Described,
  discovery: Discovery,
): PluginEntry | null {
  // Of plugins that share a folder, its manifest describes the first.
  if (discovery.described.has(folder)) return null
  discovery.described.add(folder)
  for (const place of MANIFEST_FILES.filter(({ kind }) => kind === 'plugin')) {
    const path = below(folder, place.path)
    const manifest = readManifest(root, path, real)
    if (manifest === null || ('value' in manifest && isOther(place, manifest))) continue
    // The manifest beside the marketplace is read separately, and may describe another plugin of this folder.
    if (folder === base && (!('value' in manifest) || manifest.value.name !== name)) continue
    if (folder !== base) note(manifest, path, discovery)
    if ('fault' in manifest) {
      const { rule, place: at, found } = manifest.fault
      addFinding(discovery, path, rule, at, ...found)
      return null
    }
    // The marketplace has named it.
    const named = { ...manifest, value: { ...manifest.value, name } }
    const { entries, findings } = describedPlugin(named, { manifest: path, host: place.host })
    for (const { rule, place: at, found } of findings) addFinding(discovery, path, rule, at, ...found)
    return entries[0] ?? null
  }
  return null
}

/** The folders that a manifest lists for a plugin's skills. */
function listedPlaces(
  { plugin: { name }, skills = [], manifest, placeOf }: PluginEntry,
  folder: string,
  described: Described,
  discovery: Discovery,
): UnitFolder[] {
  return skills.flatMap((written, number): UnitFolder[] => {
    const path = folderOf(written, folder, described)
    if (typeof path === 'string')
      return [{ path, kind: isSkillFolder(inside(described.root, path)) ? 'folder' : 'tree' }]
    const at: Place = skills.length > 1 ? placeOf('skills', number) : placeOf('skills')
    addFinding(discovery, manifest, path.rule, at, name, written)
    return []
  })
}

/** The folder, relative to the path entry, that a manifest names, or the rule that it breaks. */
function folderOf(
  written: string,
  from: string,
  { root, folder: base, real: realBase }: Described,
): string | { rule: 'manifest-escapes' | 'plugin-path-missing' } {
  const path = joined(from === base ? '' : from.slice(base === '' ? 0 : base.length + 1), written)
  if (posix.isAbsolute(path) || /^[a-z]:/i.test(path) || path === '..' || path.startsWith('../'))
    return { rule: 'manifest-escapes' }
  const whole = path === '' ? base : below(base, path)
  const target = resolveLink(inside(root, whole))
  if (target === null) return { rule: 'plugin-path-missing' }
  if (!isWithin(target.real, realBase)) return { rule: 'manifest-escapes' }
  if (target.stat.isDirectory()) return whole
  return /(?:^|\/)skill\.md$/i.test(whole)
    ? posix.dirname(whole).replace(/^\.$/, '')
    : { rule: 'plugin-path-missing' }
}

/** Keeps the skills of a plugin that does not load from loading without its namespace, but for folders that another plugin has. */
function close(
  { source, skills }: Pick<PluginEntry, 'source' | 'skills'>,
  described: Described,
  { closed, taken, folders }: Discovery,
): void {
  const folder = folderOf(source, '', described)
  if (typeof folder !== 'string') return
  const isShared = folder === described.folder
  const paths = skills?.map(path => folderOf(path, folder, described)) ?? []
  if (!isShared) paths.push(folder)
  else if (skills === undefined) paths.push(below(folder, 'skills'))
  for (const path of paths)
    if (typeof path === 'string' && !taken.has(path) && !folders.has(path)) closed.add(path)
}

/** Reports a plugin that repeats the name or the skills of an earlier one. */
function reportDuplicate(
  { plugin: { name }, manifest, placeOf, source }: PluginEntry,
  discovery: Discovery,
): void {
  addFinding(discovery, manifest, 'plugin-duplicate', placeOf('name'), name, source)
}
