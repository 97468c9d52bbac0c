/**
 * Reads directories from their files: where they have no index, and under `check` what changed since it was
 * made.
 */

import { disk } from '#disk'
import type { Diagnostic } from '../../src/base/diagnostic.js'
import type { DiskParser } from '../../src/content/disk-parser.js'
import { CLOCK_TICK } from '../../src/index/clock-tick.js'
import { listingText } from '../../src/index/digested-texts.js'
import type { DirectoryNames } from '../../src/index/directory-names.js'
import { INDEX_DIRECTORY, INDEX_FILE, isBroken, type NameRecord } from '../../src/index/index-format.js'
import { IndexRefused } from '../../src/index/read-index.js'
import { labelOf } from '../../src/skill/names.js'
import type { Globals } from '../state/context.js'
import type { DirectoryState, Found } from '../state/directory-state.js'
import { addDiagnostic, defaultGlobals } from '../state/globals.js'
import { isFileFresh, isFresh } from './file-freshness.js'
import { dirKey, diskNames, forgetDisk, isAway, namesOf, refuse } from './look-up.js'

/**
 * The directory's names from its files; null where it does not exist or there is no reader. They are kept
 * while they are wanted.
 */
export async function readDisk(
  state: DirectoryState,
  globals: Globals,
  isWanted: () => boolean,
): Promise<DirectoryNames | null> {
  const isFound = isThere(state)
  if (isFound && globals.config.verify && !state.index)
    throw (await import('./checked-files.js')).integrityFailed(
      state.dir,
      'has no index that can be believed, so that nothing says what its skills should be',
    )
  if (!isFound) noteMissing(state, globals)
  const parser = isFound ? await loadParser(globals) : null
  const names = parser && (await parser.readDirectory(state))
  // An index that was opened meanwhile counts instead.
  if (isWanted()) keepDisk(state, names, globals)
  return names
}

/** True also for a directory that may not be listed: the reader reports that. */
function isThere({ dir }: DirectoryState): boolean {
  return disk.isDirectory(dir) || disk.isRefused(dir)
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
 * Finds a name that no look-up in an index or in names that were read gave: under `check` in all files that
 * differ from those, under `trust` where the name itself leads.
 */
export async function lookUpOnDisk(
  state: DirectoryState,
  name: string,
  globals: Globals,
): Promise<Found | null> {
  const { freshness, verify } = globals.config
  // The package's own skills are as they were compiled.
  if (verify || (state.library && state.index)) return null
  const isTrusted = freshness === 'trust'
  const others = isTrusted ? await readPlaces(state, name, globals) : await alteredNames(state, globals)
  return foundIn(others, state, name, globals)
}

export function foundIn(
  all: readonly DirectoryNames[],
  state: DirectoryState,
  name: string,
  globals: Globals,
  isOwn?: boolean,
): Found | null {
  for (const names of all) {
    const record = names.tool(name, isOwn)
    if (record && !isAway(record, state, globals)) return { state, names, record }
  }
  return null
}

/**
 * Finds a name under `check`, where `record` is what was known of it: a file that changed since `names` was
 * made is read anew, and one that was added at the top of the directory counts.
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
  const found = foundIn(await addedNames(state, names, globals), state, name, globals, isOwn)
  return found && (isFresh(found) ? found : rereadName(found, name, globals))
}

/** At most so many places are looked at for a name that an index lacks. */
const PLACES_MAX = 1000

/**
 * Reads the places that a name leads to, beside the skills of an index: `<name>/SKILL.md`, `<name>.skill.md` and so on.
 * None where the index has all that stands there.
 */
async function readPlaces(state: DirectoryState, name: string, globals: Globals): Promise<DirectoryNames[]> {
  const { index } = state
  if (!index) return []
  const { folders = [], units = [] } = index.header
  const label = labelOf(name)
  const places = [...new Set(['', ...units.map(({ path }) => path), ...folders])].flatMap(folder =>
    SKILL_FILES.map(file => `${folder && `${folder}/`}${label}${file}`),
  )
  if (places.length > PLACES_MAX) noteCut(state, name, globals)
  for (const place of places.slice(0, PLACES_MAX)) {
    if (disk.stat(disk.resolve(state.dir, place)) === null || index.file(place)) continue
    const parser = await loadParser(globals)
    if (!parser || parser.isIgnored(state, place)) continue
    const names = await rereadFile(state, place, globals)
    if (names?.tool(name)) return [names]
  }
  return []
}

/** The endings of a skill's file, after its name. */
const SKILL_FILES = ['/SKILL.md', ...['md', 'ts', 'js', 'mts', 'mjs'].map(end => `.skill.${end}`)]

function noteCut({ dir }: DirectoryState, name: string, globals: Globals): void {
  addDiagnostic(globals, {
    file: disk.resolve(dir, INDEX_FILE),
    line: 1,
    column: 1,
    rule: 'search-cut',
    severity: 'info',
    reason: `"${name}" is not in the index, and was looked for at ${PLACES_MAX} places only: the directory has more folders with skills`,
    note: 'Run `agent-apps compile` after adding skills.',
  })
}

const SKILL_FILE = /(?:^|\/)(?:skill\.md|[^/]+\.skill\.(?:md|ts|js|mts|mjs))$/i
/** A file that makes a folder a plugin. */
const MANIFEST = /(?:^|\/)(?:marketplace|plugin)\.json$/i
/** Folders in which no skills are looked for. */
const CLOSED: ReadonlySet<string> = new Set([INDEX_DIRECTORY, 'node_modules', '.git'])

/** So many changed files are read one by one sooner than by a walk of their directory. */
const REREAD_MAX = 20

/** The names in files that came or changed, anywhere in a directory, since its names were made. */
export async function alteredNames(state: DirectoryState, globals: Globals): Promise<DirectoryNames[]> {
  if (state.diskNames === null && isThere(state)) {
    forgetDisk(state, globals)
    return present([await diskNames(state, globals)])
  }
  const names = await namesOf(state, globals)
  if (names === null) return []
  const paths = names.paths()
  // Other files belong to modules and contents.
  const counting = paths.filter(path => SKILL_FILE.test(path) || MANIFEST.test(path))
  const changed = counting.filter(path => !isFileFresh(state, names, path))
  const isWalked =
    state.discover || changed.some(path => MANIFEST.test(path)) || !hasOnlyKnown(state, new Set(paths))
  if (!isWalked && changed.length === 0) return []
  if (!isWalked && changed.length <= REREAD_MAX) {
    const now = present(await Promise.all(changed.map(path => rereadFile(state, path, globals))))
    // A name that went may be another file's by now.
    const was = changed.flatMap(path => names.file(path)?.tools ?? [])
    if (was.every(name => foundIn(now, state, name, globals))) return now
  }
  const known = state.altered
  if (known?.stamp !== undefined && known.stamp === alterationStamp(state, changed, known.names))
    return [known.names]
  const parser = await loadParser(globals)
  if (parser === null) return []
  const isOneOfSeveral = sharersOf(names)
  const altered = await parser.readDirectory(
    state,
    path => isOneOfSeveral(path) || !isFileFresh(state, names, path),
  )
  if (unitsText(altered) !== unitsText(names)) {
    // In other units, any skill may have another name.
    if (state.index) refuse(state, globals, new IndexRefused('plugins were added or removed'))
    else forgetDisk(state, globals)
    return present([await diskNames(state, globals)])
  }
  state.altered = { names: altered, stamp: alterationStamp(state, changed, altered) }
  return [altered]
}

function present(all: readonly (DirectoryNames | null)[]): DirectoryNames[] {
  return all.filter(names => names !== null)
}

function unitsText({ units = [] }: DirectoryNames): string {
  return JSON.stringify(units.map(({ path, namespace, manifest }) => [path, namespace, manifest]))
}

/** Tells the files of which a tool shares its name with others: once one of them changes, another may come first. */
function sharersOf(names: DirectoryNames): (path: string) => boolean {
  const labels = new Set<string>()
  const shared = new Set(
    names
      .names()
      .map(labelOf)
      .filter(label => labels.size === labels.add(label).size),
  )
  return path => {
    const { tools, diagnostics } = names.file(path) ?? { tools: [], diagnostics: [] }
    return tools.some(tool => shared.has(labelOf(tool))) || diagnostics.some(isDuplicate)
  }
}

function isDuplicate({ rule }: Diagnostic): boolean {
  return rule.startsWith('duplicate-')
}

/** True if all that could be a skill or a manifest in a folder is known. To list takes a small part of the time that reading takes. */
function hasOnlyKnown(state: DirectoryState, known: ReadonlySet<string>, folder = ''): boolean {
  const items = disk.listed(disk.resolve(state.dir, folder)) ?? []
  return items.every(({ name, kind }) => {
    const path = `${folder}${name}`
    if (kind === 'folder') return CLOSED.has(name) || hasOnlyKnown(state, known, `${path}/`)
    return known.has(path) || (kind === 'file' && !SKILL_FILE.test(name) && !MANIFEST.test(name))
  })
}

/**
 * Tells one state of a directory's folders and files from another one; undefined where something may change
 * without its time showing it.
 */
function alterationStamp(
  state: DirectoryState,
  changed: readonly string[],
  { folders = [], madeAt, paths }: DirectoryNames,
): string | undefined {
  const times = folders.map(folder => disk.directoryTime(folder))
  // A folder that changed since just before it was listed may have done so after. A turn, which says Infinity
  // of such, has it as it was.
  const isSettled = times.every(
    time => time !== null && (time < madeAt - CLOCK_TICK || time === Number.POSITIVE_INFINITY),
  )
  if (!isSettled) return undefined
  const files = [...changed, ...paths()].map(path => {
    const { size, mtimeMs } = disk.stat(disk.resolve(state.dir, path)) ?? {}
    return `${path} ${size} ${mtimeMs}`
  })
  return [...times, ...files].join('\n')
}

/** Keeps what was read of a directory, also where hosts look for it. */
function keepDisk(state: DirectoryState, names: DirectoryNames | null, { cache }: Globals): void {
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
 * The altered names, if something was put into the top of the directory after its names were made. To look there
 * is quick enough for every look-up.
 */
export async function addedNames(
  state: DirectoryState,
  names: DirectoryNames,
  globals: Globals,
): Promise<DirectoryNames[]> {
  const times = (names.listed ?? ['']).map(folder => disk.directoryTime(disk.resolve(state.dir, folder)))
  const changed = times.join()
  const { altered } = state
  if (changed === state.listed && state.hasAdditions && altered) return [altered.names]
  if (changed === state.listed && !state.hasAdditions) return []
  const listing = state.discover
    ? (await loadParser(globals))?.listingOf(state)
    : disk.digestText(listingText(disk.list(state.dir) ?? []))
  // A directory that changed just now may change again without its time showing it.
  const isSettled = times.every(time => time !== null && time < Date.now() - CLOCK_TICK)
  state.listed = isSettled ? changed : undefined
  state.hasAdditions = listing !== undefined && listing !== names.listing
  return state.hasAdditions ? alteredNames(state, globals) : []
}
