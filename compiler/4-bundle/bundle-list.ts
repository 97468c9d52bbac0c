import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { writeAtomic } from '../index-directory.js'
import { readRegularFile } from '../regular-file.js'
import { BUNDLE_NAME, type BundlePlace } from './bundle-place.js'

/** What a bundle brings; kept in its folder, so that the next one removes what it does not need. */
export const LIST = 'bundle.json'

export interface BundleList {
  /** The entry's file name. */
  entry: string
  /** True where the entry has a source map. */
  map: boolean
  /** Its chunks' file names. */
  files: string[]
}

/** What a bundle's other files are called. */
export const CHUNK_NAME = /^[\w-]+-[0-9A-Z]{8,16}(?:\.\w{1,10}){1,2}$/

export function listOf({ name, chunks }: BundlePlace, files: ReadonlyMap<string, Uint8Array>): BundleList {
  const inChunks = [...files.keys()].filter(file => file.startsWith(`${chunks}/`))
  return { entry: name, map: files.has(`${name}.map`), files: inChunks.map(file => basename(file)) }
}

export function listText({ files, ...list }: BundleList): string {
  return `${JSON.stringify({ ...list, files: [...files].sort() }, null, 1)}\n`
}

export function writeList(chunks: string, list: BundleList): void {
  writeAtomic(chunks, LIST, listText(list))
}

/** What the bundle that lies there brought; of other names than a bundle's none is ours to remove. */
export function readList(chunks: string): BundleList {
  try {
    const { entry, map, files } = JSON.parse(
      readRegularFile(join(chunks, LIST)).toString(),
    ) as Partial<BundleList>
    return {
      entry: typeof entry === 'string' && BUNDLE_NAME.test(entry) ? entry : '',
      map: map === true,
      files: [files].flat().filter(name => typeof name === 'string' && CHUNK_NAME.test(name)) as string[],
    }
  } catch {
    // There is none, or none that was written whole.
    return { entry: '', map: false, files: [] }
  }
}

/** The file name of a bundle's entry in a folder; null where none lies there. */
export function bundleIn(folder: string): string | null {
  const entries = readdirSync(folder)
    .filter(name => name.endsWith('-chunks'))
    .map(name => readList(join(folder, name)).entry)
  return entries.find(entry => entry !== '' && existsSync(join(folder, entry))) ?? null
}
