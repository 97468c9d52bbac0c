import { disk } from '#disk'
import { haveSameItems } from '../../src/base/same-items.js'
import type { DirectoryNames } from '../../src/index/directory-names.js'
import { INDEX_FILE, isBroken, type NameRecord } from '../../src/index/index-format.js'
import {
  IndexRefused,
  indexStamp,
  type OpenIndex,
  openIndex,
  otherEntry,
  PartsAway,
} from '../../src/index/read-index.js'
import { WORKSPACE_TAG } from '../../src/skill/names.js'
import { type SearchDirectory, searchDirectories } from '../../src/skill/path-entry.js'
import { lazy } from '../host/later.js'
import type { Globals } from '../state/context.js'
import type { Asked, DirectoryState, Found } from '../state/directory-state.js'
import { addDiagnostic, emptyCache, emptyCascades } from '../state/globals.js'

/** Reads and compares files. A compiled directory under `trust` does without. */
const snapshots = lazy(() => import('./snapshot.js'))
const places = lazy(() => import('./named-places.js'))

type Search = SearchDirectory & Pick<DirectoryState, 'library'>

/**
 * A key for the path entries and shared tools; the second half of cache keys. Clears the caches if a shared tool was
 * registered or unregistered.
 */
export function pathsKey(globals: Globals): string {
  const { paths, cwd } = globals.config
  const shared = globals.tools.programmaticTools.shared?.version
  const last = globals.pathsKey
  const isCurrent = last?.shared === shared
  if (last && isCurrent && last.cwd === cwd && haveSameItems(last.entries, paths)) return last.key
  if (last && !isCurrent) {
    const { cache, missing } = globals
    cache.tool.clear()
    cache.list.clear()
    missing.clear()
    Object.assign(cache, emptyCascades())
  }
  const key = JSON.stringify([cwd, shared, ...paths])
  globals.pathsKey = { entries: [...paths], cwd, shared, key }
  return key
}

/** The directories that a runtime searches, in order. */
export function directoryStates(globals: Globals): DirectoryState[] {
  // A directory that is named twice is searched once.
  return [...new Set(inSearchOrder(globals))]
}

/** The directories after one, whose tools it may shadow. */
export function statesAfter(state: DirectoryState, globals: Globals): DirectoryState[] {
  const states = directoryStates(globals)
  return states.slice(states.indexOf(state) + 1)
}

/**
 * The directories one by one, as often as each is named. The library comes last, so that a name found before it
 * need not locate it.
 */
export function* inSearchOrder(globals: Globals): Generator<DirectoryState> {
  yield* statesOf(searchDirectories(globals.config.paths), globals)
  yield* statesOf(librarySearch(globals), globals)
}

function statesOf(searches: Search[], globals: Globals): DirectoryState[] {
  const { cwd = disk.cwd() } = globals.config
  return searches.map(search => {
    const dir = disk.resolve(cwd, search.dir)
    const key = [dir, search.layer, search.namespace, search.discover, ...search.ignore].join('\0')
    const known = globals.directories.get(key)
    if (known) return known
    const state: DirectoryState = {
      ...search,
      dir,
      index: undefined,
      alone: new Map(),
      get units() {
        return (this.snapshot?.names ?? this.index)?.units
      },
    }
    globals.directories.set(key, state)
    return state
  })
}

/** The package's own skills. Ignore patterns do not apply: their index was made without any. */
function librarySearch({ config }: Globals): Search[] {
  const dir = config.library ? disk.libraryDirectory() : null
  return dir === null ? [] : [{ dir, external: true, layer: 'bundled', ignore: [], library: true }]
}

/**
 * The usable index of a directory, or null. Under `check`, a replaced index is opened again.
 */
export function currentIndex(state: DirectoryState, globals: Globals): OpenIndex | null {
  if (state.index !== undefined && globals.config.freshness === 'trust') return state.index
  const stamp = indexStamp(disk, state.dir)
  if (stamp === null) state.index = null
  else if (stamp !== state.index?.stamp && stamp !== state.refused) open(state, globals)
  return state.index ?? null
}

function open(state: DirectoryState, globals: Globals): void {
  forgetSnapshot(state, globals)
  try {
    const index = openIndex(disk, state.dir, globals.config.verify)
    const other = index && otherEntry(index.header, state)
    if (other) throw new IndexRefused(`it ${other}`)
    state.index = index
  } catch (error) {
    refuse(state, globals, error)
  }
}

/** Refuses a whole index, with one warning; names are read from the files instead. */
export function refuse(state: DirectoryState, globals: Globals, error: unknown): void {
  if (!(error instanceof IndexRefused)) throw error
  state.index = null
  state.refused = indexStamp(disk, state.dir)
  delete state.snapshot
  // Drops what was found by it, too.
  Object.assign(globals.cache, emptyCache())
  addDiagnostic(globals, {
    file: disk.resolve(state.dir, INDEX_FILE),
    rule: 'index-refused',
    severity: 'warning',
    reason: `The index is not used: ${error.message}`,
    note: 'Run `agent-apps compile`. Until then, the skill files are read.',
  })
}

/**
 * Reads from a directory's index. If the index turns out to be replaced, opens it again and repeats; if it is invalid,
 * refuses it.
 */
export function askIndex<Answer>(
  state: DirectoryState,
  globals: Globals,
  ask: (index: OpenIndex) => Answer,
): Answer | null {
  for (let index = currentIndex(state, globals); index !== null; index = state.index ?? null) {
    try {
      return ask(index)
    } catch (error) {
      renew(state, globals, error)
    }
  }
  return null
}

/**
 * Does work that reads a directory's names, and repeats it if the index turns out to be replaced or invalid, or if
 * parts of it had to be loaded.
 */
export async function withNames<Answer>(
  state: DirectoryState,
  globals: Globals,
  work: () => Promise<Answer>,
): Promise<Answer> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (error instanceof PartsAway) await error.load()
      else if (!(error instanceof IndexRefused)) throw error
      // A concurrent call may have refused it already.
      else if (state.index) renew(state, globals, error)
    }
  }
}

/** Reads from an index as `askIndex` does, and loads the parts that this needs. */
export function askLoaded<Answer>(
  state: DirectoryState,
  globals: Globals,
  ask: (index: OpenIndex) => Answer,
): Promise<Answer | null> {
  return withNames(state, globals, async () => askIndex(state, globals, ask))
}

/** Opens a replaced index again; refuses an invalid one. */
function renew(state: DirectoryState, globals: Globals, error: unknown): void {
  disk.lookAgain()
  if (error instanceof IndexRefused && indexStamp(disk, state.dir) !== state.index?.stamp)
    open(state, globals)
  else refuse(state, globals, error)
}

/**
 * Finds a name in one directory: in its index, in its snapshot under `check`, or in its files if it has no index.
 *
 * @param isExact true where a bare name does not mean a tool of a namespace
 */
export async function lookUp(
  state: DirectoryState,
  name: string,
  globals: Globals,
  isExact?: boolean,
): Promise<Found | null> {
  const found = await withNames(state, globals, () => lookUpOnce(state, name, globals, isExact))
  if (found?.names.via === 'bundle') await loadNamesakes(name, globals)
  return found
}

/**
 * Loads the records of a name in all directories of a bundle, since `origin.shadows` of a tool is synchronous.
 */
export async function loadNamesakes(name: string, globals: Globals): Promise<void> {
  for (const state of directoryStates(globals)) await askLoaded(state, globals, index => index.tool(name))
}

async function lookUpOnce(
  state: DirectoryState,
  name: string,
  globals: Globals,
  isExact?: boolean,
): Promise<Found | null> {
  if (!isTrusted(state, globals)) return (await snapshots()).lookUpNow(state, name, globals, isExact)
  const names = await namesOf(state, globals)
  const record = names?.tool(name, isExact)
  return names && record && !isAway(record, state, globals) ? { state, names, record } : null
}

/**
 * Looks for a name that no directory has: under `check` in all files, under `trust` at the paths that the name
 * suggests.
 */
export async function lookUpMissing(
  state: DirectoryState,
  name: string,
  globals: Globals,
): Promise<Found | null> {
  return withNames(state, globals, async () =>
    isTrusted(state, globals)
      ? (await places()).lookWhereNamed(state, name, globals)
      : (await snapshots()).lookUpNow(state, name, globals, false, true),
  )
}

/** True if names are used without a look at files. The package's own skills do not change. */
function isTrusted(state: DirectoryState, globals: Globals): boolean {
  return (
    globals.config.freshness === 'trust' || (state.library === true && currentIndex(state, globals) !== null)
  )
}

/** True for a tool of the library that needs a workspace, if the host opened none: then it does not exist. */
export function isAway(record: NameRecord, { library }: DirectoryState, { config }: Globals): boolean {
  return (
    library === true &&
    !config.workspace &&
    !isBroken(record) &&
    record.frontmatter.tags.includes(WORKSPACE_TAG)
  )
}

export function forgetSnapshot(state: DirectoryState, { cache }: Globals): void {
  delete state.snapshot
  delete state.look
  state.alone.clear()
  cache.dir.delete(dirKey(state))
  cache.nameIndex.delete(state.dir)
}

export function dirKey({ dir, ignore }: DirectoryState): string {
  return `${dir}\0${ignore.join('\0')}`
}

/**
 * The names of a directory, from its index or its files; null if it does not exist. Under `check`, the asked files are
 * compared first.
 */
export async function namesOf(
  state: DirectoryState,
  globals: Globals,
  asked: Asked = () => [],
): Promise<DirectoryNames | null> {
  const index = isTrusted(state, globals) ? currentIndex(state, globals) : null
  return index ?? (await snapshots()).namesNow(state, globals, asked)
}
