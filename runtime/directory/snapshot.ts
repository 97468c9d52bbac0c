/**
 * The current names of directories. Each directory has one snapshot, which is swapped whole when a look shows that a
 * file or folder changed. Until then, the snapshot of a compiled directory is its index.
 */

import { disk } from '#disk'
import { CLOCK_TICK } from '../../src/index/clock-tick.js'
import { listingText } from '../../src/index/digested-texts.js'
import { type DirectoryNames, holderOf, replaceFiles, unitsText } from '../../src/index/directory-names.js'
import { INDEX_DIRECTORY, isBroken, type NameRecord } from '../../src/index/index-format.js'
import { IndexRefused } from '../../src/index/read-index.js'
import type { Globals } from '../state/context.js'
import type { Asked, DirectoryState, Found, ListedFolders, Snapshot } from '../state/directory-state.js'
import { addDiagnostic, defaultGlobals } from '../state/globals.js'
import { isFileFresh, lookTime } from './file-freshness.js'
import { currentIndex, dirKey, isAway, refuse } from './look-up.js'
import { loadParser } from './read-files.js'

/** Finds a name in the current files; with `isInAll`, also in files that were added. */
export async function lookUpNow(
  state: DirectoryState,
  name: string,
  globals: Globals,
  isExact = false,
  isInAll = false,
): Promise<Found | null> {
  const kept = inTurn(state)?.found
  const key = `${name} ${isExact}`
  const known = kept?.get(key)
  if (known !== undefined) return known
  const fileOf = (names: DirectoryNames): string[] => {
    const record = names.tool(name, isExact)
    return record ? [record.file] : []
  }
  const names = await namesNow(state, globals, isInAll ? 'all' : fileOf, false)
  const record = names?.tool(name, isExact)
  const found =
    names && record && !isAway(record, state, globals)
      ? { state, names: holderOf(names, record.file), record }
      : null
  if (found || isInAll) kept?.set(key, found)
  return found
}

/**
 * The directory's names, current for the asked files. Null if it does not exist, or has no index and there is no reader.
 *
 * @param needsTop false if the entry's own folder need not be compared while the asked files are unchanged
 */
export async function namesNow(
  state: DirectoryState,
  globals: Globals,
  asked: Asked,
  needsTop = true,
): Promise<DirectoryNames | null> {
  const turn = inTurn(state)
  if (asked === 'all' && turn?.all !== undefined) return turn.all
  for (;;) {
    const last = lastSnapshot(state, globals)
    const changes = last ? await changesSince(last, state, asked, needsTop, globals) : 'all'
    const isSame = last !== undefined && changes.length === 0
    // A look that began before this call may have missed what the caller wrote: only its outcome is compared.
    if (!isSame && state.look) {
      await state.look.catch(() => {})
      continue
    }
    const names = isSame ? last.names : await look(state, last, changes, globals)
    if (turn && asked === 'all') turn.all = names
    return names
  }
}

/** The answers about a directory that a turn keeps: its names as first seen, the names found, and those not found. */
interface InTurn {
  snapshot?: Snapshot
  /** The names once all files were looked at. */
  all?: DirectoryNames | null
  found: Map<string, Found | null>
}

function inTurn(state: DirectoryState): InTurn | undefined {
  const kept = disk.turnUnderWay?.()?.kept as Map<DirectoryState, InTurn> | undefined
  if (kept && !kept.has(state)) kept.set(state, { found: new Map() })
  return kept?.get(state)
}

function swap(state: DirectoryState, snapshot: Snapshot): void {
  state.snapshot = snapshot
  const turn = inTurn(state)
  if (turn) turn.snapshot = snapshot
}

/** The last snapshot, in a turn its own; of a compiled directory at first its index. */
function lastSnapshot(state: DirectoryState, globals: Globals): Snapshot | undefined {
  const kept = inTurn(state)?.snapshot
  if (kept) return kept
  const index = currentIndex(state, globals)
  if (state.snapshot?.index === index) return state.snapshot
  return index ? { index, names: index } : undefined
}

/** The files that changed since a snapshot; `all` if some may have been added or removed. */
async function changesSince(
  last: Snapshot,
  state: DirectoryState,
  asked: Asked,
  needsTop: boolean,
  globals: Globals,
): Promise<readonly string[] | 'all'> {
  const { names } = last
  if (globals.config.freshness === 'trust') return []
  if (names === null) return isThere(state) ? 'all' : []
  const changed = (files: readonly string[]): string[] =>
    files.filter(file => !isFileFresh(state, names, file))
  // In a turn, the folders at the top are listed once.
  if (asked !== 'all' && inTurn(state)?.snapshot === last) return changed(asked(names))
  if (changed((names.manifests ?? []).map(({ path }) => path)).length > 0) return 'all'
  const files = asked === 'all' || needsTop ? [] : asked(names)
  if (files.length > 0 && changed(files).length === 0) return []
  const top = asked === 'all' ? null : await sameTop(last, names, state, globals)
  const seen = top ? { ...last, top } : lookAtAll(last, names, state)
  if (seen === null) return 'all'
  swap(state, seen)
  return changed(asked === 'all' ? (seen.all?.files ?? []) : asked(names))
}

/** The folders at the top; null if something was added or removed there. */
async function sameTop(
  { top }: Snapshot,
  names: DirectoryNames,
  state: DirectoryState,
  globals: Globals,
): Promise<ListedFolders | null> {
  if (top && areSame(top)) return top
  const now = listedNow((names.listed ?? ['']).map(folder => disk.resolve(state.dir, folder)))
  const listing = state.discover
    ? (await loadParser(globals))?.listingOf(state)
    : disk.digestText(listingText(disk.list(state.dir) ?? []))
  return listing === undefined || listing === names.listing ? now : null
}

function listedNow(folders: readonly string[], at = lookTime()): ListedFolders {
  return { at, times: new Map(folders.map(folder => [folder, disk.directoryTime(folder)])) }
}

/** True if no folder changed since it was listed, nor so shortly before that its time may not show another change. */
function areSame({ at, times }: ListedFolders): boolean {
  const isSame = ([folder, time]: [string, number | null]): boolean =>
    time !== null && time < at - CLOCK_TICK && time === disk.directoryTime(folder)
  return [...times].every(isSame)
}

/** The snapshot with all folders as they are now; null where one holds something that may be a skill and is not known. */
function lookAtAll(last: Snapshot, names: DirectoryNames, { dir }: DirectoryState): Snapshot | null {
  if (last.all && areSame(last.all)) return last
  const at = lookTime()
  const paths = names.paths()
  const folders = foldersWithKnown(dir, new Set(paths))
  if (!folders) return null
  const listed = listedNow(folders, at)
  return { ...last, top: topOf(names, dir, listed), all: { ...listed, files: paths.filter(isCompared) } }
}

/** True for a skill file, and for a file that makes a folder a plugin. Others belong to modules and contents. */
function isCompared(path: string): boolean {
  return /(?:^|\/)(?:skill\.md|[^/]+\.skill\.(?:md|ts|js|mts|mjs)|(?:marketplace|plugin)\.json)$/i.test(path)
}

/** The listed folders that show what the top of the directory contains. */
function topOf({ listed = [''] }: DirectoryNames, dir: string, { at, times }: ListedFolders): ListedFolders {
  const folders = listed.map(folder => disk.resolve(dir, folder))
  return { at, times: new Map(folders.map(folder => [folder, times.get(folder) ?? null])) }
}

/** Folders that are never searched for skills. */
const CLOSED: ReadonlySet<string> = new Set([INDEX_DIRECTORY, 'node_modules', '.git'])

/** All folders of a directory, absolute; null if one contains an unknown file that may be a skill or a manifest. */
function foldersWithKnown(dir: string, known: ReadonlySet<string>): string[] | null {
  const folders: string[] = []
  const isKnown = (folder: string): boolean => {
    folders.push(disk.resolve(dir, folder))
    return (disk.listed(disk.resolve(dir, folder)) ?? []).every(({ name, kind }) => {
      const path = `${folder}${name}`
      if (kind === 'folder') return CLOSED.has(name) || isKnown(`${path}/`)
      return known.has(path) || (kind === 'file' && !isCompared(name))
    })
  }
  return isKnown('') ? folders : null
}

/** Reads what changed, and swaps the snapshot for one that has it. */
function look(
  state: DirectoryState,
  last: Snapshot | undefined,
  changes: readonly string[] | 'all',
  globals: Globals,
): Promise<DirectoryNames | null> {
  const looking = readChanges(state, last, changes, globals).then(next => {
    // The caches may have been cleared meanwhile.
    if (state.look === looking) {
      swap(state, next)
      keepFiles(state, next, globals)
    }
    return next.names
  })
  state.look = looking
  const end = (): void => {
    if (state.look === looking) delete state.look
  }
  looking.then(end, end)
  return looking
}

/** The most changed files that are read one by one, which is then faster than a walk. */
const ALONE_MAX = 20

async function readChanges(
  state: DirectoryState,
  last: Snapshot | undefined,
  changes: readonly string[] | 'all',
  globals: Globals,
): Promise<Snapshot> {
  const { index = null } = state
  const before = last?.names
  const isFound = isThere(state)
  if (isFound && globals.config.verify)
    throw (await import('./checked-files.js')).integrityFailed(
      state.dir,
      'has no index that can be believed, so that nothing says what its skills should be',
    )
  if (!isFound) noteMissing(state, globals)
  const at = lookTime()
  const parser = isFound ? await loadParser(globals) : null
  if (!parser) return { index, names: (isFound && before) || null }
  if (last && before && changes !== 'all' && changes.length <= ALONE_MAX) {
    const read = new Map<string, DirectoryNames>()
    for (const file of changes) read.set(file, await parser.readFile(state, file))
    if (changes.every(file => givesSame(before, read.get(file), file)))
      return { ...last, names: replaceFiles(before, read) }
  }
  const isSame = (file: string): boolean => isFileFresh(state, before as DirectoryNames, file)
  const names = await parser.readDirectory(state, before ? { names: before, isSame } : undefined)
  const isOther = index && unitsText(names) !== unitsText(index)
  if (isOther) refuse(state, globals, new IndexRefused('plugins were added, removed or changed'))
  const known = [isOther ? null : index, before].find(one => one && areEqual(one, names))
  const listed = listedNow(names.folders ?? [], at)
  return {
    index: isOther ? null : index,
    names: known ?? names,
    top: topOf(names, state.dir, listed),
    all: { ...listed, files: names.paths().filter(isCompared) },
  }
}

/**
 * True if a file still has valid tools of the same names, and no others, so that no other file is affected.
 */
function givesSame(before: DirectoryNames, now: DirectoryNames | undefined, file: string): boolean {
  const names = before.file(file)?.tools ?? []
  if (names.length === 0 || now?.file(file)?.tools.join() !== names.join()) return false
  return [before, now].every(
    one =>
      names.every(name => isSound(one.tool(name, true), file)) &&
      one.file(file)?.diagnostics.every(({ fatal, rule }) => !fatal && !/^duplicate-|-broken$/.test(rule)),
  )
}

function isSound(record: NameRecord | undefined, file: string): boolean {
  return record !== undefined && !isBroken(record) && record.file === file
}

/** True if names lead to equal records of equal plugins. */
function areEqual(a: DirectoryNames, b: DirectoryNames): boolean {
  const names = a.names()
  const others = b.names()
  const isSame = (name: string, index: number): boolean => {
    const one = a.tool(name, true)
    const other = b.tool(name, true)
    return name === others[index] && (one === other || JSON.stringify(one) === JSON.stringify(other))
  }
  const manifests = ({ manifests = [], file }: DirectoryNames): string =>
    JSON.stringify(manifests.map(({ path }) => [path, file(path)?.sha256]))
  return names.length === others.length && manifests(a) === manifests(b) && names.every(isSame)
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
    rule: 'path-missing',
    severity: 'warning',
    reason: 'The directory does not exist, so it has no skills',
    note: 'Correct the path, or create the directory. Relative paths start from `cwd`.',
  })
}

/** Adds the files of a directory without an index to the caches that hosts read. */
function keepFiles(state: DirectoryState, { index, names }: Snapshot, { cache }: Globals): void {
  if (index || !names) return
  const files = new Map(names.paths().map(path => [path, disk.resolve(state.dir, path)]))
  cache.dir.set(dirKey(state), [...files.values()])
  const byName = new Map<string, string>()
  for (const name of names.names()) {
    const file = files.get(names.tool(name)?.file ?? '')
    if (file !== undefined) byName.set(name, file)
  }
  cache.nameIndex.set(state.dir, byName)
}
