import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { beginsWith, isBegun, isThere, readRegularFile, unlessGone } from '../../files/regular-file.js'
import { writeAtomic } from '../../index/index-directory.js'
import { MARK } from '../parts/bundle-parts.js'
import { BUNDLE_NAME, type BundlePath } from '../parts/bundle-place.js'

/** The file in a bundle's folder that lists its other files, so that the next bundle removes those that it does not need. */
export const LIST = 'bundle.json'

interface BundleList {
  entry: string
  /** True where the entry has a source map. */
  map: boolean
  /** Its chunks' file names. */
  files: string[]
}

/** The beginning of every list. */
export const LIST_MARK = '{\n "entry": "'

/** The names of a bundle's other files. */
export const CHUNK_NAME = /^[\w-]+-[0-9A-Z]{8,16}(?:\.\w{1,10}){1,2}$/
/** The names of those that code finds relative to itself. */
export const ASSET_NAME = /^asset-[0-9A-F]{8}\.\w{1,10}$/

export function listOf({ name, chunks }: BundlePath, files: ReadonlyMap<string, Uint8Array>): BundleList {
  const inChunks = [...files.keys()].filter(file => file.startsWith(`${chunks}/`))
  return { entry: name, map: files.has(`${name}.map`), files: inChunks.map(file => basename(file)) }
}

export function listText({ files, ...list }: BundleList): string {
  return `${JSON.stringify({ ...list, files: [...files].sort() }, null, 1)}\n`
}

export function writeList(chunks: string, list: BundleList): Promise<void> {
  return writeAtomic(chunks, LIST, listText(list))
}

/** Reads the list of the bundle that lies there. Names that no file of a bundle has are left out, since they are not ours to remove. */
export function readList(chunks: string): BundleList {
  const none: BundleList = { entry: '', map: false, files: [] }
  try {
    const text = readRegularFile(join(chunks, LIST)).toString()
    const { entry, map, files } = JSON.parse(text) as Record<keyof BundleList, unknown>
    if (typeof entry !== 'string' || !BUNDLE_NAME.test(entry)) return none
    if (typeof map !== 'boolean' || !Array.isArray(files)) return none
    return { entry, map, files: files.filter(name => typeof name === 'string' && CHUNK_NAME.test(name)) }
  } catch {
    // It is not there, or was not written whole.
    return none
  }
}

/** True where no other program's file lies in the list's place. A list that came with a checkout may have other line ends. */
export function isListReplaceable(chunks: string): boolean {
  const file = join(chunks, LIST)
  return !isThere(file) || isBegun(file, LIST_MARK) || readList(chunks).entry !== ''
}

/** The file name of a bundle's entry in a folder; null where none lies there. */
export function bundleIn(folder: string): string | null {
  const entries = readdirSync(folder)
    .filter(name => name.endsWith('-chunks'))
    .map(name => readList(join(folder, name)).entry)
  return entries.find(entry => entry !== '' && existsSync(join(folder, entry))) ?? null
}

/** True where the source map at a place is the bundle's own: its list has it, or, where that was lost, its entry names it. */
export function isMapOwn({ folder, name, chunks }: BundlePath): boolean {
  const { entry, map } = readList(join(folder, chunks))
  if (entry === name && map) return true
  const file = join(folder, name)
  if (!beginsWith(file, MARK)) return false
  const text = unlessGone(() => readRegularFile(file).toString()) ?? ''
  return text.trimEnd().endsWith(`\n//# sourceMappingURL=${name}.map`)
}
