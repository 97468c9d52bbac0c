import type { DirectoryNames, DiskParser } from '../src/directory-names.js'
import { listingText, type NameRecord } from '../src/index-format.js'
import {
  currentIndex,
  type DirectoryState,
  dirKey,
  type Found,
  forgetAdded,
  forgetDisk,
} from './directory-state.js'
import type { Disk } from './disk-seam.js'
import type { Globals } from './globals.js'

/** Clocks of file systems tick every few milliseconds; changes within a tick (ms) have one time. */
const CLOCK_TICK = 50

/** What a name means by the directory's files, read once however often it is asked. */
export async function lookUpOnDisk(
  state: DirectoryState,
  name: string,
  globals: Globals,
  disk: Disk,
): Promise<Found | null> {
  const names = await diskNames(state, globals, disk)
  const record = names?.tool(name)
  if (!names || !record) return null
  const found = { state, names, record }
  return globals.config.freshness === 'trust' ? found : current(found, name, globals, disk)
}

/** The directory's names from its files; null where it does not exist or there is no reader. */
export function diskNames(
  state: DirectoryState,
  globals: Globals,
  disk: Disk,
): Promise<DirectoryNames | null> {
  state.disk ??= readDisk(state, globals, disk)
  return state.disk
}

function readDisk(state: DirectoryState, globals: Globals, disk: Disk): Promise<DirectoryNames | null> {
  const reading = loadParser(globals, disk).then(async parser => {
    const names =
      parser && disk.isDirectory(state.dir) ? await parser.readDirectory(state.dir, state.ignore) : null
    // An index that was opened meanwhile counts instead.
    if (state.disk === reading) keepDisk(state, names, globals, disk)
    return names
  })
  reading.catch(() => {
    // What could not be read is read again by whoever asks next.
    if (state.disk === reading) forgetDisk(state, globals)
  })
  return reading
}

/** Keeps what was read of a directory, also where hosts look for it. */
function keepDisk(state: DirectoryState, names: DirectoryNames | null, { cache }: Globals, disk: Disk): void {
  state.diskNames = names
  if (names === null) return
  const files = new Map(names.paths().map(path => [path, disk.resolve(state.dir, path)]))
  cache.dir.set(dirKey(state), [...files.values()])
  const index = new Map<string, string>()
  for (const name of names.names()) {
    const file = files.get(names.tool(name)?.file ?? '')
    if (file !== undefined) index.set(name, file)
  }
  cache.nameIndex.set(state.dir, index)
}

/** The compiler's reader, loaded once; null where it is absent. */
export function loadParser(globals: Globals, disk: Disk): Promise<DiskParser | null> {
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

/** The same name after a look at the files: what changed since `names` was made is read anew, what was added counts. */
export async function checked(
  state: DirectoryState,
  name: string,
  names: DirectoryNames,
  record: NameRecord | undefined,
  globals: Globals,
  disk: Disk,
): Promise<Found | null> {
  const now = record && (await current({ state, names, record }, name, globals, disk))
  if (now) return now
  const added = await addedNames(state, names, globals, disk)
  const addition = added?.tool(name)
  return added && addition ? current({ state, names: added, record: addition }, name, globals, disk) : null
}

/** A name as its file has it now; null where the file no longer gives it. */
async function current(found: Found, name: string, globals: Globals, disk: Disk): Promise<Found | null> {
  const { state, record } = found
  if (isFresh(found, disk)) return found
  const names = await rereadFile(state, record.file, globals, disk)
  const anew = names?.tool(name)
  return names && anew ? { state, names, record: anew } : null
}

/** True where a record's file is as it was when the names were made. */
export function isFresh({ state, names, record }: Found, disk: Disk): boolean {
  return isFileFresh(state, names, record.file, disk)
}

/** True where a file is as it was when the names were made: by size and time, or where those differ by digest. */
export function isFileFresh(state: DirectoryState, names: DirectoryNames, file: string, disk: Disk): boolean {
  const path = disk.resolve(state.dir, file)
  const now = disk.stat(path)
  const was = names.file(file)
  if (now === null || was === undefined) return false
  if (now.size !== was.size) return false
  if (now.mtimeMs <= names.madeAt) return true
  const stamp = `${now.size} ${now.mtimeMs} ${was.sha256}`
  if (state.verified.get(file) === stamp) return true
  if (disk.digestFile(path) !== was.sha256) return false
  state.verified.set(file, stamp)
  return true
}

/** What one file says now; null where it is gone or there is no reader. */
export async function rereadFile(
  state: DirectoryState,
  file: string,
  globals: Globals,
  disk: Disk,
): Promise<DirectoryNames | null> {
  const now = disk.stat(disk.resolve(state.dir, file))
  if (now === null) return null
  const stamp = `${now.size} ${now.mtimeMs}`
  const known = state.reread.get(file)
  if (known?.stamp === stamp) return known.names
  const parser = await loadParser(globals, disk)
  const names = parser && (await parser.readFile(state.dir, file))
  state.reread.set(file, { stamp, names })
  return names
}

/** The names of items that were put into the directory after its names were made; null where there are none. */
export async function addedNames(
  state: DirectoryState,
  names: DirectoryNames,
  globals: Globals,
  disk: Disk,
): Promise<DirectoryNames | null> {
  const changed = disk.directoryTime(state.dir)
  // Whoever asks while they are being read waits for the same reading.
  if (changed !== null && changed === state.listed) return state.added?.names ?? null
  const items = disk.list(state.dir) ?? []
  // A directory that changed just now may change again without its time showing it.
  state.listed = changed !== null && changed < Date.now() - CLOCK_TICK ? changed : undefined
  const listing = disk.digestText(listingText(items))
  if (listing === names.listing) {
    delete state.added
    return null
  }
  if (state.added?.listing === listing) return state.added.names
  const known = new Set(names.paths().map(path => path.split('/')[0]))
  const only = items.filter(item => !known.has(item))
  const reading = loadParser(globals, disk).then(
    parser => parser && parser.readDirectory(state.dir, state.ignore, only),
  )
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

/** The names of a directory: by its index, or where it has none, by its files. */
export async function namesOf(
  state: DirectoryState,
  globals: Globals,
  disk: Disk,
): Promise<DirectoryNames | null> {
  return currentIndex(state, globals, disk) ?? (await diskNames(state, globals, disk))
}
