/**
 * Reads directories from their files: where they have no index, and under `check` what changed since it was
 * made.
 */

import { disk } from '#disk'
import type { DiskParser } from '../../src/content/disk-parser.js'
import { CLOCK_TICK } from '../../src/index/clock-tick.js'
import { listingText } from '../../src/index/digested-texts.js'
import type { DirectoryNames } from '../../src/index/directory-names.js'
import { INDEX_DIRECTORY, isBroken, type NameRecord } from '../../src/index/index-format.js'
import { IndexRefused, type OpenIndex } from '../../src/index/read-index.js'
import type { Globals } from '../state/context.js'
import type { DirectoryState, Found } from '../state/directory-state.js'
import { addDiagnostic, defaultGlobals } from '../state/globals.js'
import { isFileFresh, isFresh } from './file-freshness.js'
import { askIndex, dirKey, diskNames, forgetAdded, forgetDisk, isAway, refuse } from './look-up.js'

/**
 * The directory's names from its files; null where it does not exist or there is no reader. They are kept
 * while they are wanted.
 */
export async function readDisk(
  state: DirectoryState,
  globals: Globals,
  isWanted: () => boolean,
): Promise<DirectoryNames | null> {
  // The reader says of one that may not be looked at that it may not.
  const isThere = disk.isDirectory(state.dir) || disk.isRefused(state.dir)
  if (isThere && globals.config.verify && !state.index)
    throw (await import('./checked-files.js')).integrityFailed(
      state.dir,
      'has no index that can be believed, so that nothing says what its skills should be',
    )
  if (!isThere) noteMissing(state, globals)
  const parser = isThere ? await loadParser(globals) : null
  const names = parser && (await parser.readDirectory(state))
  // An index that was opened meanwhile counts instead.
  if (isWanted()) keepDisk(state, names, globals)
  return names
}

/** Reports a path that leads nowhere. The state of the process searches conventional ones, which need not exist. */
function noteMissing({ dir, library }: DirectoryState, globals: Globals): void {
  if (library || globals === defaultGlobals()) return
  addDiagnostic(globals, {
    file: dir,
    line: 1,
    column: 1,
    rule: 'path-missing',
    severity: 'warning',
    reason: 'There is no such directory, and so it has no skills',
    note: 'Correct the path, or create the directory. Relative paths start from `cwd`.',
  })
}

/**
 * Finds a name in the directory's files. They are read once; under `check` again, where something in the
 * directory changed.
 */
export async function lookUpOnDisk(
  state: DirectoryState,
  name: string,
  globals: Globals,
): Promise<Found | null> {
  // The package's own skills are as they were compiled.
  if (state.library && state.index) return null
  const isTrusted = globals.config.freshness === 'trust'
  if (!isTrusted) forgetChanged(state, globals)
  const isUnread = state.disk === undefined && disk.via === 'index'
  if (isUnread && askIndex(state, globals, index => isAsCompiled(state, index))) return null
  const names = await diskNames(state, globals)
  const record = names?.tool(name)
  if (!names || !record || isAway(record, state, globals)) return null
  const found = { state, names, record }
  return isTrusted || isFresh(found) ? found : rereadName(found, name, globals)
}

/**
 * Finds a name under `check`, where `record` is what was known of it: a file that changed since `names` was
 * made is read anew, and an added one counts.
 */
export async function lookAgain(
  state: DirectoryState,
  name: string,
  names: DirectoryNames,
  record: NameRecord | undefined,
  globals: Globals,
  isOwn?: boolean,
): Promise<Found | null> {
  const known = record && { state, names, record }
  const now = known && (isFresh(known) ? known : await rereadName(known, name, globals))
  if (now) return now
  const added = await addedNames(state, names, globals)
  const addition = added?.tool(name, isOwn)
  if (!added || !addition) return null
  const found = { state, names: added, record: addition }
  return isFresh(found) ? found : rereadName(found, name, globals)
}

/** The names of skill files, and of the manifests that make a folder a plugin. */
const COUNTS = /^skill\.md$|.\.skill\.(?:md|ts|js|mts|mjs)$|^(?:marketplace|plugin)\.json$/i
/** Folders in which no skills are looked for. */
const CLOSED: ReadonlySet<string> = new Set([INDEX_DIRECTORY, 'node_modules', '.git'])

/**
 * True where all that counts in a directory is what its index was made of, by names, sizes and times: then its files
 * need not be read for a name that the index lacks. To list them takes a small part of that time.
 */
function isAsCompiled(state: DirectoryState, index: OpenIndex): boolean {
  const paths = index.paths()
  const known = new Set(paths)
  return !state.discover && hasOnlyKnown('') && paths.every(file => isFileFresh(state, index, file))

  function hasOnlyKnown(folder: string): boolean {
    const items = disk.listed(disk.resolve(state.dir, folder)) ?? []
    return items.every(({ name, kind }) => {
      const path = `${folder}${name}`
      if (kind === 'folder') return CLOSED.has(name) || hasOnlyKnown(`${path}/`)
      return known.has(path) || (kind === 'file' && !COUNTS.test(name))
    })
  }
}

/** Forgets what was read of a directory's files where one of them, or one of its folders, changed since. */
function forgetChanged(state: DirectoryState, globals: Globals): void {
  const { diskNames, diskTimes } = state
  if (diskNames === undefined) return
  const isSame =
    diskNames === null
      ? !disk.isDirectory(state.dir) && !disk.isRefused(state.dir)
      : diskTimes === timesOf(diskNames).join() &&
        diskNames.paths().every(file => isFileFresh(state, diskNames, file))
  if (!isSame) forgetDisk(state, globals)
}

function timesOf({ folders = [] }: DirectoryNames): (number | null)[] {
  return folders.map(folder => disk.directoryTime(folder))
}

/** Keeps what was read of a directory, also where hosts look for it. */
function keepDisk(state: DirectoryState, names: DirectoryNames | null, { cache }: Globals): void {
  state.diskNames = names
  if (names === null) return
  const times = timesOf(names)
  // A folder that changed since just before it was listed may have done so after. A turn, which says Infinity
  // of such, has it as it was.
  const isSettled = times.every(
    time => time !== null && (time < names.madeAt - CLOCK_TICK || time === Number.POSITIVE_INFINITY),
  )
  state.diskTimes = isSettled ? times.join() : undefined
  const files = new Map(names.paths().map(path => [path, disk.resolve(state.dir, path)]))
  cache.dir.set(dirKey(state), [...files.values()])
  const index = new Map<string, string>()
  for (const name of names.names()) {
    const file = files.get(names.tool(name)?.file ?? '')
    if (file !== undefined) index.set(name, file)
  }
  cache.nameIndex.set(state.dir, index)
}

/**
 * The compiler's reader, loaded once; null where it is absent, and under `verify`, as no digest says what it
 * reads.
 */
export function loadParser(globals: Globals): Promise<DiskParser | null> {
  if (globals.config.verify) return Promise.resolve(null)
  globals.parser ??= disk.loadParser().then(
    parser => {
      globals.stats.parser = parser ? 'loaded' : 'absent'
      return parser
    },
    error => {
      // What could not be loaded is loaded again by whoever asks next.
      delete globals.parser
      throw error
    },
  )
  return globals.parser
}

/** The names that one file gives now; null where it is gone or there is no reader. */
export async function rereadFile(
  state: DirectoryState,
  file: string,
  globals: Globals,
): Promise<DirectoryNames | null> {
  const now = disk.stat(disk.resolve(state.dir, file))
  // What is gone has no time that would show its return; it may be a link that leads nowhere, which keeps its
  // names.
  const stamp = now && `${now.size} ${now.mtimeMs}`
  const known = state.reread.get(file)
  if (known && known.stamp === stamp) return known.names
  const parser = await loadParser(globals)
  const names = parser && (await parser.readFile(state, file))
  if (stamp !== null) state.reread.set(file, { stamp, names })
  return names
}

/** Finds a name in its file as that is now; null where the file no longer gives it. */
async function rereadName({ state, record }: Found, name: string, globals: Globals): Promise<Found | null> {
  const names = await rereadFile(state, record.file, globals)
  const anew = names?.tool(name) ?? unseenFolder(names, record.file)
  return names && anew ? { state, names, record: anew } : null
}

/** The fault of a folder that may not be looked at, where a file lies below it: what it gave is not gone. */
function unseenFolder(names: DirectoryNames | null, file: string): NameRecord | undefined {
  const faults = names?.names().map(name => names.tool(name)) ?? []
  return faults.find(fault => fault && isBroken(fault) && file.startsWith(`${fault.file}/`))
}

/** Puts an index aside that was made when a plugin manifest said something else: names in it may be others by now. */
export function refuseStale(state: DirectoryState, globals: Globals): void {
  const { index } = state
  const isStale = index?.header.manifests?.some(({ path }) => !isFileFresh(state, index, path))
  if (isStale) refuse(state, globals, new IndexRefused('a plugin manifest was changed'))
}

/**
 * The names of items that were put into the directory after its names were made; null where there are none.
 */
export async function addedNames(
  state: DirectoryState,
  names: DirectoryNames,
  globals: Globals,
): Promise<DirectoryNames | null> {
  const times = (names.listed ?? ['']).map(folder => disk.directoryTime(disk.resolve(state.dir, folder)))
  const changed = times.join()
  // Whoever asks while they are being read waits for the same reading.
  if (changed === state.listed) return state.added?.names ?? null
  const parser = state.discover ? await loadParser(globals) : null
  const items = state.discover ? undefined : (disk.list(state.dir) ?? [])
  // A directory that changed just now may change again without its time showing it.
  const isSettled = times.every(time => time !== null && time < Date.now() - CLOCK_TICK)
  state.listed = isSettled ? changed : undefined
  const listing = items ? disk.digestText(listingText(items)) : (parser?.listingOf(state) ?? names.listing)
  if (listing === names.listing) {
    delete state.added
    return null
  }
  if (state.added?.listing === listing) return state.added.names
  const known = new Set(names.paths().map(path => path.split('/')[0]))
  const only = items?.filter(item => !known.has(item))
  const reading = loadParser(globals).then(parser => parser && parser.readDirectory(state, only))
  const added = { listing, names: reading }
  state.added = added
  try {
    return await reading
  } catch (error) {
    // What could not be read is read again by whoever asks next.
    if (state.added === added) forgetAdded(state)
    throw error
  }
}
