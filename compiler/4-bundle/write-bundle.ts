import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { AgentAppsError, isAgentAppsError } from '../../src/error.js'
import { abandonedLock, withFileLock } from '../file-lock.js'
import { holds, writeAllAtomic, writeAtomic } from '../index-directory.js'
import { readRegularFile, unlessGone } from '../regular-file.js'
import { nameToBe } from '../temporary-name.js'
import { MARK } from './build-bundle.js'

/** Where a bundle goes. */
export interface BundlePlace {
  /** Absolute. */
  folder: string
  /** The entry's file name. */
  name: string
  /** The folder beside it for all other modules. */
  chunks: string
  /** The file name of the declarations. */
  types: string
}

/** A directory that is compiled, as far as a bundle must not lie in it. */
interface SkillDirectory {
  dir: string
  isIgnored: (path: string) => boolean
}

export const BUNDLE_NAME = /^[\w-][\w.-]*\.m?js$/
/** What a bundle brings; kept in its folder, so that the next one removes what it does not need. */
export const LIST = 'bundle.json'
/** Beside it: what the indexes lie in need not be writable, and others' projects may write a bundle to this place, too. */
const LOCK = 'bundle.lock'

interface BundleList {
  /** The entry's file name. */
  entry: string
  /** True where the entry has a source map. */
  map: boolean
  /** Its chunks' file names. */
  files: string[]
}

const CHUNK_NAME = /^[\w-]+-[0-9A-Z]{8,16}(?:\.\w{1,10}){1,2}$/

/** The files of a bundle whose entry is to be `file`, absolute. */
export function bundlePlace(file: string): BundlePlace {
  const name = basename(file)
  const bare = name.replace(/\.m?js$/, '')
  return {
    folder: dirname(file),
    name,
    chunks: `${bare}-chunks`,
    types: `${bare}${name.endsWith('.mjs') ? '.d.mts' : '.d.ts'}`,
  }
}

/**
 * Refuses a place where a bundle would become part of what is compiled, or replace a file that is no bundle.
 *
 * @throws BUNDLE_PLACE
 */
export function checkPlace(
  { folder, name, chunks, types }: BundlePlace,
  directories: readonly SkillDirectory[],
): void {
  checkOutside(join(folder, name), directories)
  for (const file of [name, types]) checkReplaceable(join(folder, file), MARK)
  const folderOfChunks = join(folder, chunks)
  if (existsSync(folderOfChunks) && !lstatSync(folderOfChunks).isDirectory())
    throw wrongPlace('bundle', folderOfChunks, 'is no folder', { hint: 'Choose another name, or remove it.' })
  const { entry } = readList(folderOfChunks)
  if (entry !== '' && entry !== name && existsSync(join(folder, entry)))
    throw wrongPlace('bundle', folderOfChunks, `has the chunks of another bundle, ${entry}`, {
      hint: 'Give this one a name that differs in more than its ending, or remove the other.',
    })
}

/**
 * Refuses a file that would become part of what is compiled.
 *
 * @param noun what it is to be
 * @throws BUNDLE_PLACE
 */
export function checkOutside(
  file: string,
  directories: readonly SkillDirectory[],
  noun: Noun = 'bundle',
): void {
  for (const { dir, isIgnored } of directories) {
    const place = join(realPath(dirname(file)), basename(file))
    const path = relative(realpathSync.native(dir), place).replaceAll('\\', '/')
    const isInside = path !== '..' && !path.startsWith('../') && !/^[A-Za-z]:/.test(path)
    if (!isInside || isLeftOut(path, isIgnored)) continue
    throw wrongPlace(noun, file, `lies in ${dir}, whose skills are compiled`, {
      hint: 'Write it elsewhere, or leave its folder out with an ignore pattern.',
    })
  }
}

/**
 * Refuses a file that is there and that we did not write.
 *
 * @param mark what ours begin with
 * @param noun what it is to be
 * @throws BUNDLE_PLACE
 */
export function checkReplaceable(file: string, mark: string, noun: Noun = 'bundle'): void {
  if (!existsSync(file) || beginsWith(file, mark)) return
  throw wrongPlace(noun, file, 'is there already, and is not from agent-apps', {
    hint: 'Choose another name, or remove it.',
  })
}

/** What an error says cannot be written. */
type Noun = 'bundle' | 'declarations'

function wrongPlace(noun: Noun, file: string, what: string, { hint }: { hint: string }): AgentAppsError {
  return new AgentAppsError('BUNDLE_PLACE', `No ${noun} can be written: ${file} ${what}.`, { hint, file })
}

/** A folder's real path, as far as it is there. */
function realPath(folder: string): string {
  return existsSync(folder) ? realpathSync.native(folder) : join(realPath(dirname(folder)), basename(folder))
}

/** True where looking for skills does not lead to a path. */
function isLeftOut(path: string, isIgnored: (path: string) => boolean): boolean {
  const names = path.split('/')
  const isHidden = names.slice(0, -1).some(name => name.startsWith('.') || name === 'node_modules')
  return isHidden || names.some((_, index) => isIgnored(names.slice(0, index + 1).join('/')))
}

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

/** True for a bundle's entry. */
export function isBundle(file: string): boolean {
  return BUNDLE_NAME.test(basename(file)) && beginsWith(file, MARK)
}

/** True for a file, and no link, that begins with a mark. */
function beginsWith(file: string, mark: string): boolean {
  const start = Buffer.from(mark)
  const isSame = unlessGone(
    () =>
      lstatSync(file, { throwIfNoEntry: false })?.isFile() &&
      readRegularFile(file, start.length).equals(start),
  )
  return isSame === true
}

/** The file name of a bundle's entry in a folder; null where none lies there. */
export function bundleIn(folder: string): string | null {
  const entries = readdirSync(folder)
    .filter(name => name.endsWith('-chunks'))
    .map(name => readList(join(folder, name)).entry)
  return entries.find(entry => entry !== '' && existsSync(join(folder, entry))) ?? null
}

function listOf({ name, chunks }: BundlePlace, files: ReadonlyMap<string, Uint8Array>): BundleList {
  const inChunks = [...files.keys()].filter(file => file.startsWith(`${chunks}/`))
  return { entry: name, map: files.has(`${name}.map`), files: inChunks.map(file => basename(file)) }
}

function listText({ files, ...list }: BundleList): string {
  return `${JSON.stringify({ ...list, files: [...files].sort() }, null, 1)}\n`
}

function writeList(chunks: string, list: BundleList): void {
  writeAtomic(chunks, LIST, listText(list))
}

/** What the bundle that lies there brought; of other names than a bundle's none is ours to remove. */
function readList(chunks: string): BundleList {
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
