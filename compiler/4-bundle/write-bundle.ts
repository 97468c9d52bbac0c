import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { AgentAppsError, isAgentAppsError } from '../../src/error.js'
import { abandonedLock, withFileLock } from '../file-lock.js'
import { holds, writeAllAtomic, writeAtomic } from '../index-directory.js'
import { nameToBe } from '../temporary-name.js'
import { CHUNK_NAME, LIST, listOf, listText, readList, writeList } from './bundle-list.js'
import type { BundlePlace } from './bundle-place.js'

/** In the bundle's own folder: what the indexes lie in need not be writable, and others' projects may write a bundle to this place, too. */
const LOCK = 'bundle.lock'

/** The files of a bundle that are not on disk as they should be, its list among them. */
export function outdatedFiles(place: BundlePlace, files: ReadonlyMap<string, Uint8Array>): string[] {
  const list = `${place.chunks}/${LIST}`
  const all = new Map(files).set(list, Buffer.from(listText(listOf(place, files))))
  return [...all].filter(([file, contents]) => !holds(place.folder, file, contents)).map(([file]) => file)
}

/**
 * Brings a bundle onto disk, its entry last, then removes what only the one before needed, and what was left by those that
 * were killed. One process at a time does; where there is nothing to do, none.
 *
 * @param files by path relative to the place's folder
 * @returns those written
 * @throws BUNDLE_NOT_WRITABLE, INDEX_LOCKED
 */
export async function writeBundle(
  place: BundlePlace,
  files: ReadonlyMap<string, Uint8Array>,
): Promise<string[]> {
  const chunks = join(place.folder, place.chunks)
  const lock = join(chunks, LOCK)
  try {
    if (!hasLeftovers(place) && outdatedFiles(place, files).length === 0) return []
    mkdirSync(chunks, { recursive: true })
    const locked = { place: place.folder, notWritable: (cause: unknown) => notWritable(place, cause) }
    return await withFileLock(lock, locked, () => writeLocked(place, files))
  } catch (error) {
    throw isAgentAppsError(error) ? error : notWritable(place, error)
  }
}

/** True where somebody is writing a bundle to a place, or was killed at it; and where that cannot be looked at, as writing then says. */
export function hasLeftovers(place: BundlePlace): boolean {
  try {
    return existsSync(join(place.folder, place.chunks, LOCK)) || leftovers(place).length > 0
  } catch {
    return true
  }
}

async function writeLocked(place: BundlePlace, files: ReadonlyMap<string, Uint8Array>): Promise<string[]> {
  const { folder, name } = place
  const chunks = join(folder, place.chunks)
  const outdated = outdatedFiles(place, files)
  const changed = outdated.filter(file => files.has(file))
  const before = readList(chunks)
  const list = listOf(place, files)
  const gone = before.files.filter(file => !list.files.includes(file))
  // What a bundle that is cut short leaves is on the list.
  if (outdated.length > 0) writeList(chunks, { ...list, files: [...list.files, ...gone] })
  const first = changed.filter(file => file !== name)
  const contentsOf = (file: string) => files.get(file) ?? ''
  await writeAllAtomic(folder, first, contentsOf)
  if (first.length < changed.length) writeAtomic(folder, name, contentsOf(name))
  for (const file of gone) rmSync(join(chunks, file), { force: true })
  for (const file of leftovers(place)) rmSync(file, { force: true })
  if (before.map && !list.map) rmSync(join(folder, `${name}.map`), { force: true })
  if (gone.length > 0) writeList(chunks, list)
  return outdated
}

/** What writers of this bundle that were killed left under temporary names, absolute; under the lock nobody else writes it. */
function leftovers({ folder, name, chunks, types }: BundlePlace): string[] {
  const ofEntry = new Set([name, `${name}.map`, types])
  const inChunks = join(folder, chunks)
  return [
    ...abandonedLock(join(inChunks, LOCK)).map(file => join(inChunks, file)),
    ...halfWritten(inChunks, target => target === LIST || CHUNK_NAME.test(target)),
    ...halfWritten(folder, target => ofEntry.has(target)),
  ]
}

/** A folder's files under temporary names, absolute, that were to be what is ours. */
function halfWritten(folder: string, isOurs: (target: string) => boolean): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter(entry => entry.isFile() && isOurs(nameToBe(entry.name) ?? ''))
    .map(entry => join(folder, entry.name))
}

function notWritable({ folder, name }: BundlePlace, cause: unknown): AgentAppsError {
  const { message } = cause as Error
  return new AgentAppsError('BUNDLE_NOT_WRITABLE', `The bundle cannot be written: ${message}`, {
    hint: 'Make the folder writable, or write it elsewhere.',
    file: join(folder, name),
    cause,
  })
}
