import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { EncodedIndex } from '../../src/index/encode-index.js'
import { INDEX_DIRECTORY, INDEX_FILE } from '../../src/index/index-format.js'
import type { IndexText } from '../../src/index/read-index.js'
import { MODULE_MARK } from '../esbuild/module-source.js'
import { isLockAbandoned, isLockHeld } from '../files/file-lock.js'
import { beginsWith, isFile, MAP_MARK } from '../files/regular-file.js'
import { nameToBe } from '../files/temporary-files.js'
import {
  abandonedDirectoryLock,
  directoryLock,
  holds,
  notWritable,
  prepareIndexDirectory,
  withDirectoryLock,
  writeAllAtomic,
  writeAtomic,
} from '../index/index-directory.js'
import { isPart, partFiles, readWritten, textOf } from '../index/index-files.js'
import { BUNDLE_CACHE_FILE, CACHE_FILE } from '../records/compile-cache.js'

const GITIGNORE_FILE = `${INDEX_DIRECTORY}/.gitignore`
/** Keeps this machine's own files out of version control, independent of the project's own rules. */
const GITIGNORE = 'cache*\n*.tmp\n'

/** A shard, the list of an index's tools, its search file, or its vectors. */
const PART_NAME = /^(?:(?:index|list)-(?=.{32}\.json$)|(?:search|vectors)-(?=.{32}\.bin$))([0-9a-f]{32})/
/** The files that are written under a temporary name first. */
const WRITTEN_NAME =
  /^\.?(?:agent-apps|(?:index|list|search|vectors)-[0-9a-f]{32}|(?:module|chunk)-[0-9A-Z]{8}|cache|gitignore)[\w.-]*$/

/** The files that code was compiled to, and the contents of the new ones. */
export interface MadeModules {
  files: string[]
  outputs: ReadonlyMap<string, Uint8Array>
}

/** The files of an index, relative to the directory, that are not on disk as they should be. Those that are `sound` are known to be right. */
export function outdatedFiles(
  directory: string,
  { header, parts }: EncodedIndex,
  { files, outputs }: MadeModules,
  sound: ReadonlySet<string>,
): string[] {
  const outdated = [...parts]
    .filter(([file, part]) => !sound.has(file) && !holds(directory, file, part))
    .map(([file]) => file)
  const missing = files.filter(file => {
    const contents = outputs.get(file)
    return contents !== undefined && !holds(directory, file, contents)
  })
  outdated.unshift(...missing)
  return textOf(join(directory, INDEX_FILE)) === header ? outdated : [...outdated, INDEX_FILE]
}

/**
 * Writes modules before the index that will name them, and runs `work` while no other process removes them. Those that the index names already are
 * safe while it does: if all of them are there, nothing is written, so that the directory may be read-only.
 *
 * @throws INDEX_NOT_WRITABLE, INDEX_LOCKED
 */
export async function withModules<Result>(
  directory: string,
  outputs: ReadonlyMap<string, Uint8Array>,
  work: () => Promise<Result>,
): Promise<Result> {
  const named = modulesOf(readWritten(directory))
  const isNamed = [...outputs.keys()].every(file => named.has(file))
  if (isNamed && missingModules(directory, outputs).length === 0) return work()
  return withDirectoryLock(directory, async () => {
    try {
      await writeAllAtomic(directory, missingModules(directory, outputs), file => outputs.get(file) ?? '')
    } catch (error) {
      throw notWritable(directory, error)
    }
    return work()
  })
}

/** A file that is there is not believed for its name: it may be another's, or a link. */
function missingModules(directory: string, outputs: ReadonlyMap<string, Uint8Array>): string[] {
  return [...outputs].filter(([file, contents]) => !holds(directory, file, contents)).map(([file]) => file)
}

/**
 * Writes an index: shards and the other parts first, the index file last. Then files that no index names any more are removed.
 * Whenever it is cut short, the index file names a complete set of shards, the old or the new one. Only to be
 * called under the directory's lock.
 *
 * @returns the files written, relative to the directory
 * @throws INDEX_NOT_WRITABLE
 */
export async function writeIndex(
  directory: string,
  index: EncodedIndex,
  modules: MadeModules,
  cache: readonly Uint8Array[],
  sound: ReadonlySet<string>,
): Promise<string[]> {
  try {
    const written = outdatedFiles(directory, index, modules, sound)
    const named = written.filter(file => file !== INDEX_FILE)
    const contentsOf = (file: string) => index.parts.get(file)?.() ?? modules.outputs.get(file) ?? ''
    await writeAllAtomic(directory, named, contentsOf)
    if (named.length < written.length) await writeAtomic(directory, INDEX_FILE, index.header)
    removeLeftovers(directory, file => index.parts.has(file) || index.kept.has(file))
    removeFiles(directory, strayModules(directory, new Set(modules.files)))
    await writeCache(directory, cache)
    return written
  } catch (error) {
    throw notWritable(directory, error)
  }
}

/** How long (ms) a compile that has nothing else to write waits for others. */
const TIDY_PATIENCE = 2_000

/**
 * Tidies up after a compile that ended without writing an index, and after killed ones. Files that
 * cannot be removed now are left to the next compile: the index is already correct.
 */
export async function tidyDirectory(directory: string): Promise<void> {
  try {
    if (unnamedModules(directory).length === 0 && !isLockAbandoned(directoryLock(directory))) return
    await withDirectoryLock(directory, () => tidy(directory), TIDY_PATIENCE)
  } catch (error) {
    // Locked, or the system refuses; all else is a fault of ours.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
  }
}

function tidy(directory: string): void {
  const written = readWritten(directory)
  const parts = new Set(written && partFiles(written))
  removeLeftovers(directory, file => written === null || parts.has(file))
  removeFiles(directory, unnamedModules(directory))
}

/** Saves the cache of a compile that had nothing else to write; does nothing in a read-only directory. */
export async function saveCache(directory: string, cache: readonly Uint8Array[]): Promise<void> {
  try {
    prepareIndexDirectory(directory)
    await writeCache(directory, cache)
  } catch {
    // The index is already correct; the next compile just reads every file again.
  }
}

async function writeCache(directory: string, cache: readonly Uint8Array[]): Promise<void> {
  if (textOf(join(directory, GITIGNORE_FILE)) === null)
    await writeAtomic(directory, GITIGNORE_FILE, GITIGNORE)
  await writeAtomic(directory, CACHE_FILE, cache)
}

/** The files that `clean` removes, relative to the directory, in an order that is safe. */
export function madeFiles(directory: string): string[] {
  const folder = join(directory, INDEX_DIRECTORY)
  const made: string[] = []
  if (lstatSync(join(directory, INDEX_FILE), { throwIfNoEntry: false })?.isDirectory() === false)
    made.push(INDEX_FILE)
  made.push(...halfWritten(directory))
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return made
  const written = readWritten(directory)
  const named = new Set(written && partFiles(written))
  // A compile that runs the modules of its future index holds the lock.
  const kept = isLockHeld(directoryLock(directory)) ? strayModules(directory, modulesOf(written)) : []
  for (const name of readdirSync(folder).sort()) {
    const file = `${INDEX_DIRECTORY}/${name}`
    const digest = PART_NAME.exec(name)?.[1]
    const ours =
      (digest !== undefined && (named.has(file) || isPart(join(directory, file), digest))) ||
      (name === '.gitignore' && textOf(join(directory, file)) === GITIGNORE) ||
      (isOwnModule(directory, file) && !kept.includes(file)) ||
      isHalfWritten(name)
    if (ours && isFile(join(directory, file))) made.push(file)
  }
  for (const file of [BUNDLE_CACHE_FILE, CACHE_FILE]) if (isFile(join(directory, file))) made.push(file)
  return made
}

/** Removes parts that the index no longer names, and files that a killed compile left behind. */
function removeLeftovers(directory: string, isNamed: (file: string) => boolean): void {
  const folder = join(directory, INDEX_DIRECTORY)
  removeFiles(directory, [...halfWritten(directory), ...abandonedDirectoryLock(directory)])
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    const digest = PART_NAME.exec(name)?.[1]
    const stale = digest !== undefined && !isNamed(`${INDEX_DIRECTORY}/${name}`) && isPart(file, digest)
    if (stale || (isHalfWritten(name) && isFile(file))) rmSync(file, { force: true })
  }
}

function removeFiles(directory: string, files: readonly string[]): void {
  for (const file of files) rmSync(join(directory, file), { force: true })
}

/** Index files that a compile which was killed left under their temporary names. */
function halfWritten(directory: string): string[] {
  return readdirSync(directory).filter(
    name => name.startsWith(INDEX_FILE) && isHalfWritten(name) && isFile(join(directory, name)),
  )
}

function isHalfWritten(name: string): boolean {
  return WRITTEN_NAME.test(nameToBe(name) ?? '')
}

const MODULE_NAME = /^(?:module|chunk)-[0-9A-Z]{8}\.mjs(?:\.map)?$/

/** The modules that an index names, relative to its directory. */
function modulesOf(written: IndexText | null): Set<string> {
  return new Set([written?.header.modules ?? []].flat())
}

/**
 * The modules in a directory's folder that a compile wrote and no index names, relative to the directory: those of a compile that was
 * killed, or of one before.
 */
function strayModules(directory: string, named: ReadonlySet<string>): string[] {
  const folder = join(directory, INDEX_DIRECTORY)
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  return readdirSync(folder)
    .map(name => `${INDEX_DIRECTORY}/${name}`)
    .filter(file => !named.has(file) && isOwnModule(directory, file))
}

/** The modules that the index of a directory does not name; none where the index cannot be read, as another version may have written it. */
function unnamedModules(directory: string): string[] {
  const written = readWritten(directory)
  return written === null && isFile(join(directory, INDEX_FILE))
    ? []
    : strayModules(directory, modulesOf(written))
}

/** True for a file that code or a schema was compiled to, by its name and its first line. Only such files are removed. */
function isOwnModule(directory: string, file: string): boolean {
  const mark = file.endsWith('.map') ? MAP_MARK : MODULE_MARK
  return MODULE_NAME.test(file.slice(INDEX_DIRECTORY.length + 1)) && beginsWith(join(directory, file), mark)
}
