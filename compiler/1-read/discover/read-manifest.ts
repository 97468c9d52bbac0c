import { hash } from 'node:crypto'
import { lstatSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Node } from 'jsonc-parser'
import { isJsonObject } from '../../../src/base/json.js'
import { FILE_START, type Finding, finding, type Place } from '../../diagnostics/diagnostics.js'
import { jsonFault, placesIn } from '../../diagnostics/source-text.js'
import { limits } from '../../files/limits.js'
import { readRealFile, systemReason } from '../../files/regular-file.js'
import { inside } from '../../records/walked.js'
import { isWithin } from '../walk/look.js'

const require = createRequire(import.meta.url)

export interface ReadManifest {
  value: Record<string, unknown>
  size: number
  sha256: string
  placeOf: (path: readonly (string | number)[]) => Place
}

/** A manifest that cannot be read, with its digest if its bytes are known. */
export interface UnreadableManifest {
  fault: Finding
  digest?: Pick<ReadManifest, 'size' | 'sha256'>
}

/**
 * Reads a manifest of a directory; null if it is missing.
 *
 * @param path relative to the directory
 * @param realRoot the directory's real path, which a link to a manifest may not leave
 */
export function readManifest(
  root: string,
  path: string,
  realRoot: string,
): ReadManifest | UnreadableManifest | null {
  const file = inside(root, path)
  try {
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return null
    const real = realpathSync.native(file)
    if (!isWithin(real, realRoot)) return { fault: finding('manifest-escapes', FILE_START, path, '') }
    const bytes = readRealFile(real, limits.manifestBytes + 1)
    if (bytes.length > limits.manifestBytes)
      return { fault: invalid(FILE_START, `it has more than ${limits.manifestBytes} bytes`) }
    return parseManifest(bytes)
  } catch (error) {
    // A file has the name of the manifest's folder.
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return null
    return { fault: invalid(FILE_START, systemReason(error)) }
  }
}

function parseManifest(bytes: Buffer): ReadManifest | UnreadableManifest {
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '')
  const value = parsed(text)
  const digest = { size: bytes.length, sha256: hash('sha256', bytes) }
  if ('rule' in value) return { fault: value, digest }
  return { value: value.json, ...digest, placeOf: valuePlaces(text) }
}

function invalid(place: Place, problem: string): Finding {
  return finding('manifest-invalid', place, problem)
}

/** `JSON.parse` makes every key, even `__proto__`, an own property, so this parser need not. */
function parsed(text: string): { json: Record<string, unknown> } | Finding {
  try {
    const json: unknown = JSON.parse(text)
    return isJsonObject(json) ? { json } : invalid(FILE_START, 'it is not an object')
  } catch (error) {
    const { place, problem } = jsonFault(text, error)
    return invalid(place, `it ${problem}`)
  }
}

/** Returns a function that finds the places of values in JSON. The JSON is parsed on the first call. */
function valuePlaces(text: string): ReadManifest['placeOf'] {
  let tree: Node | undefined
  const placeAt = placesIn(text)
  return path => {
    // Loaded here, because most manifests have no fault.
    const { findNodeAtLocation, parseTree }: typeof import('jsonc-parser') = require('jsonc-parser')
    try {
      tree ??= parseTree(text)
      const node = tree && findNodeAtLocation(tree, [...path])
      return placeAt(node?.offset ?? 0)
    } catch {
      // Nested too deep for a parser that calls itself: the file is named at least.
      return FILE_START
    }
  }
}

/** The host that reads a manifest, where that changes the meaning of its `skills` field. */
export type ManifestHost = 'claude' | 'other'

/** The folders of a repository or plugin that hold manifests, in the order in which they count. */
const FOLDERS = [
  '.plugin/',
  '',
  '.github/plugin/',
  '.claude-plugin/',
  '.agents/plugins/',
  '.codex-plugin/',
  '.cursor-plugin/',
]

/** A place where a manifest may be, relative to the folder that it describes. */
export interface ManifestFile {
  path: string
  /** `marketplace`: it lists plugins. `plugin`: it describes the folder itself. */
  kind: 'marketplace' | 'plugin'
  host: ManifestHost
}

/** All places of manifests, in the order in which they count. */
export const MANIFEST_FILES: readonly ManifestFile[] = FOLDERS.flatMap(folder =>
  (['marketplace', 'plugin'] as const).map(kind => ({
    path: `${folder}${kind}.json`,
    kind,
    host: folder === '.claude-plugin/' ? ('claude' as const) : ('other' as const),
  })),
)

/** The names that a folder's listing has where there may be a manifest. */
const FIRST_NAMES = new Set(MANIFEST_FILES.map(({ path }) => path.split('/')[0] ?? ''))

/**
 * True where a folder of such entries may have a manifest. A skill may have a `plugin.json` among its
 * resources.
 */
export function mayHaveManifest(listing: readonly { name: string }[], isSkill: () => boolean): boolean {
  if (!listing.some(({ name }) => FIRST_NAMES.has(name))) return false
  return !isSkill() || listing.some(({ name }) => name.startsWith('.') && FIRST_NAMES.has(name))
}
