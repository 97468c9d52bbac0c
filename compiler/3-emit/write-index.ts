import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { EncodedIndex } from '../../src/index/encode-index.js'
import { INDEX_DIRECTORY, INDEX_FILE } from '../../src/index/index-format.js'
import type { IndexText } from '../../src/index/read-index.js'
import { readRegularFile } from '../files/regular-file.js'
import { nameToBe } from '../files/temporary-name.js'
import {
  holds,
  notWritable,
  prepareIndexDirectory,
  writeAllAtomic,
  writeAtomic,
} from '../index/index-directory.js'
import { isFile, textOf } from '../index/index-files.js'
import { isShard, readWritten, shardFiles, shardsOf } from '../index/read-written.js'
import { BUNDLE_CACHE_FILE, CACHE_FILE } from '../records/compile-cache.js'
import {
  abandonedModules,
  announceModules,
  cachedModules,
  hasAnnounced,
  isModule,
  settleModules,
} from './announced-modules.js'
import { abandonedDirectoryLock, isDirectoryLockAbandoned, withDirectoryLock } from './directory-lock.js'

const GITIGNORE_FILE = `${INDEX_DIRECTORY}/.gitignore`
/** Keeps this machine's own files out of version control, whatever the project's own rules are. */
const GITIGNORE = 'cache*\n*.tmp\n'

const SHARD_NAME = /^index-([0-9a-f]{32})\.json$/
/** What has a temporary name at first. */
const WRITTEN_NAME =
  /^\.?(?:agent-apps|index-[0-9a-f]{32}|(?:module|chunk)-[0-9A-Z]{8}|cache|gitignore)[\w.-]*$/

/** The files that code was compiled to: all of them, and what those hold that are new. */
export interface MadeModules {
  files: string[]
  outputs: ReadonlyMap<string, Uint8Array>
}

/** The files of an index, relative to the directory, that are not on disk as they should be. Those that are `sound` were read and found right. */
export function outdatedFiles(
  directory: string,
  { header, shards }: EncodedIndex,
  { files, outputs }: MadeModules,
  sound: ReadonlySet<string>,
): string[] {
  const outdated = [...shards]
    .filter(([file, shard]) => !sound.has(file) && !holds(directory, file, shard()))
    .map(([file]) => file)
  const missing = files.filter(file => {
    const contents = outputs.get(file)
    return contents !== undefined && !holds(directory, file, contents)
  })
  outdated.unshift(...missing)
  return textOf(join(directory, INDEX_FILE)) === header ? outdated : [...outdated, INDEX_FILE]
}

/**
 * Writes modules ahead of the index that is to name them, so that they can be run. Those that the index names already are
 * removed by nobody while it does: where they all lie there, nothing is written, so that the directory may be read-only.
 *
 * @throws INDEX_NOT_WRITABLE, INDEX_LOCKED
 */
export async function writeModules(
  directory: string,
  outputs: ReadonlyMap<string, Uint8Array>,
  owner: string,
): Promise<void> {
  const named = modulesOf(readWritten(directory))
  const isNamed = [...outputs.keys()].every(file => named.has(file))
  if (isNamed && missingModules(directory, outputs).length === 0) return
  await withDirectoryLock(directory, () => writeAhead(directory, outputs, owner))
}

async function writeAhead(
  directory: string,
  outputs: ReadonlyMap<string, Uint8Array>,
  owner: string,
): Promise<void> {
  try {
    const named = modulesOf(readWritten(directory))
    announceModules(
      directory,
      owner,
      [...outputs].filter(([file]) => !named.has(file)),
    )
    const missing = missingModules(directory, outputs)
    await writeAllAtomic(directory, missing, file => outputs.get(file) ?? '')
  } catch (error) {
    throw notWritable(directory, error)
  }
}

/** A file that is there is not believed for its name: it may be another's, or a link. */
function missingModules(directory: string, outputs: ReadonlyMap<string, Uint8Array>): string[] {
  return [...outputs].filter(([file, contents]) => !holds(directory, file, contents)).map(([file]) => file)
}

/**
 * Brings an index onto disk: shards first, the index file last, then what no index names any more is removed.
 * Whenever it is cut short, the index file names a complete set of shards, the old or the new one. Only to be
 * called under the directory's lock.
 *
 * @param owner names this compile among all
 * @returns the files written, relative to the directory
 * @throws INDEX_NOT_WRITABLE
 */
export async function writeIndex(
  directory: string,
  index: EncodedIndex,
  modules: MadeModules,
  cache: readonly Uint8Array[],
  sound: ReadonlySet<string>,
  owner: string,
): Promise<string[]> {
  try {
    const indexed = readWritten(directory)
    const before = indexed ? modulesOf(indexed) : cachedModules(directory)
    const after = new Set(modules.files)
    const coming = [...modules.outputs].filter(([file]) => !before.has(file))
    const going = [...before].filter(file => !after.has(file) && isFile(join(directory, file)))
    announceModules(directory, owner, [
      ...coming,
      ...going.map(file => [file, readRegularFile(join(directory, file))] as const),
    ])
    const written = outdatedFiles(directory, index, modules, sound)
    const named = written.filter(file => file !== INDEX_FILE)
    const contentsOf = (file: string) => index.shards.get(file)?.() ?? modules.outputs.get(file) ?? ''
    await writeAllAtomic(directory, named, contentsOf)
    if (named.length < written.length) writeAtomic(directory, INDEX_FILE, index.header)
    removeLeftovers(directory, file => index.shards.has(file))
    settleModules(directory, owner, after)
    writeCache(directory, cache)
    return written
  } catch (error) {
    throw notWritable(directory, error)
  }
}

/** How long (ms) a compile that has nothing else to write waits for others. */
const TIDY_PATIENCE = 2_000

/**
 * Tidies up after a compile that ended without writing an index, and after those that were killed, where there are any. What
 * cannot be tidied up now is left to the next compile: the index is right as it stands.
 */
export async function tidyDirectory(directory: string, owner: string): Promise<void> {
  try {
    if (!hasAnnounced(directory) && !isDirectoryLockAbandoned(directory)) return
    await withDirectoryLock(directory, () => tidy(directory, owner), TIDY_PATIENCE)
  } catch (error) {
    // Locked, or the system refuses; all else is a fault of ours.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
  }
}

function tidy(directory: string, owner: string): void {
  const written = readWritten(directory)
  const shards = new Set(written && shardFiles(written))
  removeLeftovers(directory, file => written === null || shards.has(file))
  settleModules(directory, owner, modulesOf(written))
}

/** Keeps the cache of a compile that had nothing else to write. A directory that cannot be written to goes without. */
export function saveCache(directory: string, cache: readonly Uint8Array[]): void {
  try {
    prepareIndexDirectory(directory)
    writeCache(directory, cache)
  } catch {
    // The index is right as it stands; the next compile reads every file again, and that is all.
  }
}

function writeCache(directory: string, cache: readonly Uint8Array[]): void {
  if (textOf(join(directory, GITIGNORE_FILE)) === null) writeAtomic(directory, GITIGNORE_FILE, GITIGNORE)
  writeAtomic(directory, CACHE_FILE, cache)
}

/** What `clean` removes, relative to the directory, in the order in which it is safe to remove it. */
export function madeFiles(directory: string): string[] {
  const folder = join(directory, INDEX_DIRECTORY)
  const made: string[] = []
  if (lstatSync(join(directory, INDEX_FILE), { throwIfNoEntry: false })?.isDirectory() === false)
    made.push(INDEX_FILE)
  made.push(...halfWritten(directory))
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return made
  const written = readWritten(directory)
  const named = new Set(written ? shardsOf(written.header) : [])
  const modules = new Set([
    ...modulesOf(written),
    ...cachedModules(directory),
    ...abandonedModules(directory),
  ])
  for (const name of readdirSync(folder).sort()) {
    const file = `${INDEX_DIRECTORY}/${name}`
    const shard = SHARD_NAME.exec(name)?.[1]
    const ours =
      (shard !== undefined && (named.has(shard) || isShard(join(directory, file), shard))) ||
      (name === '.gitignore' && textOf(join(directory, file)) === GITIGNORE) ||
      modules.has(file) ||
      isHalfWritten(name)
    if (ours && isFile(join(directory, file))) made.push(file)
  }
  // It tells which modules are ours, where the index is gone.
  for (const file of [BUNDLE_CACHE_FILE, CACHE_FILE]) if (isFile(join(directory, file))) made.push(file)
  return made
}

/** The modules that an index names. */
function modulesOf(written: IndexText | null): Set<string> {
  return new Set([written?.header.modules].flat().filter(isModule))
}

/** Removes shards that the index no longer names and what a compile that was killed left behind. */
function removeLeftovers(directory: string, isNamed: (file: string) => boolean): void {
  const folder = join(directory, INDEX_DIRECTORY)
  for (const name of [...halfWritten(directory), ...abandonedDirectoryLock(directory)])
    rmSync(join(directory, name), { force: true })
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    const shard = SHARD_NAME.exec(name)?.[1]
    const stale = shard !== undefined && !isNamed(`${INDEX_DIRECTORY}/${name}`) && isShard(file, shard)
    if (stale || (isHalfWritten(name) && isFile(file))) rmSync(file, { force: true })
  }
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
