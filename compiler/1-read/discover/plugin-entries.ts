import { posix } from 'node:path'
import { isJsonObject, isStringArray } from '../../../src/base/json.js'
import type { PluginRecord } from '../../../src/index/index-format.js'
import { namespaceProblem } from '../../../src/skill/namespaces.js'
import { type Finding, finding, type Place } from '../../diagnostics/diagnostics.js'
import { limits } from '../../files/limits.js'
import type { ManifestHost, ReadManifest } from './read-manifest.js'

/** A plugin, as a manifest describes it. Its paths are as they are written. */
export interface PluginEntry {
  plugin: PluginRecord
  /** Its folder, relative to the manifest's. */
  source: string
  /** The paths of its skills, relative to its folder; absent if the manifest does not list them. */
  skills?: string[]
  host: ManifestHost
  /** True where the manifest is a marketplace. */
  isListed: boolean
  /** The manifest, relative to the path entry. */
  manifest: string
  placeOf: (...path: (string | number)[]) => Place
}

/** The plugins of a manifest, and the faults in it. */
export interface PluginEntries {
  entries: PluginEntry[]
  findings: Finding[]
  /** True if it is unknown which plugins the manifest names. */
  isUnknown: boolean
  /** The folders of plugins that do not load, relative to the manifest's, with the skills that they list. */
  broken: Pick<PluginEntry, 'source' | 'skills'>[]
}

interface Origin {
  manifest: string
  host: ManifestHost
}

/** The plugin of a `plugin.json`; its folder is the manifest's. */
export function describedPlugin({ value, placeOf }: ReadManifest, origin: Origin): PluginEntries {
  const entries = nothing()
  const place: PluginEntry['placeOf'] = (...path) => placeOf(path)
  addPlugin(entries, value, { ...origin, source: '', isListed: false, placeOf: place })
  return entries
}

/**
 * The plugins that a `marketplace.json` lists.
 *
 * @param isThere true if a folder, relative to the manifest's, exists
 */
export function listedPlugins(
  { value, placeOf }: ReadManifest,
  origin: Origin,
  isThere: (folder: string) => boolean,
): PluginEntries {
  const entries = nothing()
  const refuse = (problem: string, ...path: (string | number)[]): PluginEntries => {
    entries.findings.push(finding('manifest-invalid', placeOf(path), problem))
    entries.isUnknown = true
    return entries
  }
  const plugins = own(value, 'plugins')
  if (!Array.isArray(plugins)) return refuse('"plugins" is not an array', 'plugins')
  if (plugins.length > limits.plugins)
    return refuse(`it has ${plugins.length} plugins, and at most ${limits.plugins} are read`, 'plugins')
  const metadata = own(value, 'metadata')
  const pluginRoot = (isJsonObject(metadata) ? own(metadata, 'pluginRoot') : undefined) ?? ''
  if (typeof pluginRoot !== 'string') return refuse('"pluginRoot" is not a string', 'metadata', 'pluginRoot')
  for (const [number, plugin] of plugins.entries()) {
    const place: PluginEntry['placeOf'] = (...path) => placeOf(['plugins', number, ...path])
    if (!isJsonObject(plugin)) {
      refuse('the plugin is not an object', 'plugins', number)
      continue
    }
    const source = localSource(own(plugin, 'source'))
    const name = String(own(plugin, 'name') ?? '').slice(0, 80)
    if (source === null) entries.findings.push(finding('plugin-remote', place('source'), name))
    else {
      const [folder, other] = readings(source, pluginRoot)
      const isOther = folder !== other && !isThere(folder) && isThere(other)
      if (isOther) entries.findings.push(finding('plugin-path-meant', place('source'), name, folder, other))
      addPlugin(entries, plugin, {
        ...origin,
        source: isOther ? other : folder,
        isListed: true,
        placeOf: place,
      })
    }
  }
  return entries
}

/** The folder that a source names, and the one meant by an author who reads `pluginRoot` differently. */
function readings(source: string, pluginRoot: string): [folder: string, other: string] {
  const ofRoot = joined('', source)
  const ofPluginRoot = joined(pluginRoot, source)
  return /^\.{1,2}(?:[\\/]|$)/.test(source) ? [ofRoot, ofPluginRoot] : [ofPluginRoot, ofRoot]
}

/**
 * A plugin that a marketplace lists without a valid name does not load, as its skills would without their namespace;
 * one without a name that describes itself is called as its folder.
 */
function addPlugin(
  all: PluginEntries,
  value: Record<string, unknown>,
  origin: Omit<PluginEntry, 'plugin' | 'skills'>,
): void {
  const { entries, findings, broken } = all
  const { source, isListed, placeOf } = origin
  const name = own(value, 'name')
  const skills = skillPaths(own(value, 'skills'))
  const listed = Array.isArray(skills) ? { skills } : {}
  const problem = typeof name === 'string' ? namespaceProblem(name) : null
  if (typeof name !== 'string')
    findings.push(finding('manifest-invalid', placeOf(), 'the plugin has no name'))
  else if (problem !== null)
    findings.push(finding('plugin-name', placeOf('name'), name.slice(0, 80), problem))
  else if (typeof skills === 'string') findings.push(finding('manifest-invalid', placeOf('skills'), skills))
  // In a folder that plugins share, it is unknown which skills are this one's.
  const isClosed = problem !== null || (isListed && (typeof name !== 'string' || typeof skills === 'string'))
  if (isClosed) broken.push({ source, ...listed })
  else if (typeof name !== 'string') all.isUnknown = true
  else entries.push({ plugin: { name, ...texts(value) }, ...listed, ...origin })
}

/** The paths of a `skills` field, undefined if it is absent, or its fault as a string. */
function skillPaths(value: unknown): string[] | undefined | string {
  if (value === undefined) return undefined
  const paths = [value].flat()
  if (!isStringArray(paths)) return '"skills" is neither a path nor an array of paths'
  if (paths.length <= limits.pluginPaths) return paths
  return `"skills" has ${paths.length} paths, and at most ${limits.pluginPaths} are read`
}

/** The path of a plugin's folder by its `source`; null if it is outside the repository. */
function localSource(source: unknown): string | null {
  if (source === undefined) return ''
  if (typeof source === 'string') return /^[a-z][a-z\d+.-]+:|^git@/i.test(source) ? null : source
  if (!isJsonObject(source) || own(source, 'source') !== 'local') return null
  const path = own(source, 'path')
  return typeof path === 'string' ? path : null
}

function texts(value: Record<string, unknown>): Omit<PluginRecord, 'name'> {
  const version = own(value, 'version')
  const description = own(value, 'description')
  return {
    ...(typeof version === 'string' && { version }),
    ...(typeof description === 'string' && { description }),
  }
}

/** A path of a manifest joined to a folder. An absolute path is unchanged. */
export function joined(folder: string, path: string): string {
  const written = path.replaceAll('\\', '/')
  return posix.isAbsolute(written) || /^[a-z]:/i.test(written)
    ? written
    : posix.join(folder, written).replace(/\/$/, '').replace(/^\.$/, '')
}

function own(value: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined
}

function nothing(): PluginEntries {
  return { entries: [], findings: [], isUnknown: false, broken: [] }
}
