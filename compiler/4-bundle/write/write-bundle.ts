import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { orNull } from '../../../src/base/attempt.js'
import { AgentAppsError, isAgentAppsError } from '../../../src/base/error.js'
import { abandonedLock, withFileLock } from '../../files/file-lock.js'
import { isBegun, MAP_MARK } from '../../files/regular-file.js'
import { nameToBe } from '../../files/temporary-files.js'
import { holds, writeAllAtomic, writeAtomic } from '../../index/index-directory.js'
import { MARK } from '../parts/bundle-parts.js'
import { type BundlePath, LOCK } from '../parts/bundle-place.js'
import {
  ASSET_NAME,
  CHUNK_NAME,
  isMapOwn,
  LIST,
  LIST_MARK,
  listOf,
  listText,
  readList,
  writeList,
} from './bundle-list.js'
import { checkFiles, foreignFile } from './check-place.js'

/** The files of a bundle that are not on disk as they should be, its list among them. */
export function outdatedFiles(place: BundlePath, files: ReadonlyMap<string, Uint8Array>): string[] {
  const list = `${place.chunks}/${LIST}`
  const all = new Map(files).set(list, Buffer.from(listText(listOf(place, files))))
  return [...all].filter(([file, contents]) => !holds(place.folder, file, contents)).map(([file]) => file)
}

/**
 * Brings a bundle onto disk, its entry last. Then removes the files that only the bundle before needed, and those that killed processes
 * left. One process at a time does this; where there is nothing to do, none takes the lock.
 *
 * @param files by path relative to the place's folder
 * @returns those written
 * @throws BUNDLE_NOT_WRITABLE, BUNDLE_PLACE, INDEX_LOCKED
 */
export async function writeBundle(
  place: BundlePath,
  files: ReadonlyMap<string, Uint8Array>,
): Promise<string[]> {
  const chunks = join(place.folder, place.chunks)
  const lock = join(chunks, LOCK)
  try {
    if (!hasLeftovers(place) && outdatedFiles(place, files).length === 0) return []
    mkdirSync(chunks, { recursive: true })
    const locked = {
      place: place.folder,
      notWritable: (cause: unknown) => notWritable(place, cause),
      foreign: foreignFile,
    }
    return await withFileLock(lock, locked, () => writeLocked(place, files))
  } catch (error) {
    throw isAgentAppsError(error) ? error : notWritable(place, error)
  }
}

/** True where another process is writing a bundle to a place, or was killed while it did. True too where this cannot be seen: writing reports it. */
export function hasLeftovers(place: BundlePath): boolean {
  return existsSync(join(place.folder, place.chunks, LOCK)) || orNull(() => leftovers(place))?.length !== 0
}

async function writeLocked(place: BundlePath, files: ReadonlyMap<string, Uint8Array>): Promise<string[]> {
  const { folder, name } = place
  const chunks = join(folder, place.chunks)
  const map = `${name}.map`
  checkFiles(place, files.has(map))
  const outdated = outdatedFiles(place, files)
  const changed = outdated.filter(file => files.has(file))
  const before = readList(chunks)
  const list = listOf(place, files)
  const gone = before.files.filter(file => !list.files.includes(file))
  const isMapGone = !list.map && isMapOwn(place)
  // The list has the files that an interrupted write leaves.
  if (outdated.length > 0)
    await writeList(chunks, { ...list, map: list.map || isMapGone, files: [...list.files, ...gone] })
  const first = changed.filter(file => file !== name)
  const contentsOf = (file: string) => files.get(file) ?? ''
  await writeAllAtomic(folder, first, contentsOf)
  if (first.length < changed.length) await writeAtomic(folder, name, contentsOf(name))
  for (const file of gone) rmSync(join(chunks, file), { force: true })
  for (const file of leftovers(place)) rmSync(file, { force: true })
  if (isMapGone) rmSync(join(folder, map), { force: true })
  if (gone.length > 0 || isMapGone) await writeList(chunks, list)
  return outdated
}

/** The temporary files that killed writers of this bundle left, absolute. The caller holds the lock. */
function leftovers({ folder, name, chunks, types }: BundlePath): string[] {
  const marks = new Map([
    [name, MARK],
    [types, MARK],
    [`${name}.map`, MAP_MARK],
  ])
  const inChunks = join(folder, chunks)
  return [
    ...abandonedLock(join(inChunks, LOCK)).map(file => join(inChunks, file)),
    ...halfWritten(inChunks, target => (target === LIST ? LIST_MARK : chunkMark(target))),
    ...halfWritten(folder, target => marks.get(target) ?? null),
  ]
}

/** The first line of a chunk; null for a name that no chunk has. A file that code brings begins with anything. */
function chunkMark(name: string): string | null {
  if (!CHUNK_NAME.test(name)) return null
  if (ASSET_NAME.test(name)) return ''
  if (name.endsWith('.map')) return MAP_MARK
  return /\.m?js$/.test(name) ? MARK : null
}

/**
 * A folder's temporary files, absolute, that begin like a file of ours.
 *
 * @param markOf returns a file's first characters; null for a name that no file of a bundle has
 */
function halfWritten(folder: string, markOf: (target: string) => string | null): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .map(name => join(folder, name))
    .filter(file => {
      const mark = markOf(nameToBe(basename(file)) ?? '')
      return mark !== null && isBegun(file, mark)
    })
}

function notWritable({ folder, name }: BundlePath, cause: unknown): AgentAppsError {
  const { message } = cause as Error
  return new AgentAppsError('BUNDLE_NOT_WRITABLE', `The bundle cannot be written: ${message}`, {
    hint: 'Make the folder writable, or write it elsewhere.',
    file: join(folder, name),
    cause,
  })
}
