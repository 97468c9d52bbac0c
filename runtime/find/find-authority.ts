import { disk } from '#disk'
import { addToGroup } from '../../src/base/add-to-group.js'
import type { Diagnostic } from '../../src/base/diagnostic.js'
import { type DirectoryNames, holderOf } from '../../src/index/directory-names.js'
import { isBroken } from '../../src/index/index-format.js'
import { MAIN_BROKEN } from '../../src/index/list-columns.js'
import { boundAt, namespaceAt } from '../../src/index/unit-around.js'
import { namespaceOf } from '../../src/skill/names.js'
import { directoryStates, namesOf, withNames } from '../directory/look-up.js'
import type { Globals } from '../state/context.js'
import { type DirectoryState, isOwn, reachesOut } from '../state/directory-state.js'
import { defaultGlobals } from '../state/globals.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf, type ToolSource } from '../state/tool-source.js'
import { toolOf } from './make-tool.js'
import { toolList } from './tool-list.js'

/** A main skill, or the fault of the file that should be one. */
export type Main = { namespace: string } & (
  | { tool: ToolDef; fault?: never }
  | { tool?: never; fault: Diagnostic; path: string }
)

/**
 * Finds the main skill (`role: main`) directly in a directory, or null. `dir` is absolute.
 */
export async function mainInDir(dir: string, globals: Globals = defaultGlobals()): Promise<ToolDef | null> {
  if (globals.configure) await globals.configure()
  return (await mainAt(dir, globals))?.tool ?? null
}

async function mainAt(dir: string, globals: Globals): Promise<Main | null> {
  const known = kept(globals.cache.mainInDir.get(dir), globals)
  if (known !== undefined) return known && mainOfTool(known)
  const state = directoryStates(globals).find(one => one.dir === dir || disk.inside(one.dir, dir) !== null)
  const folder = state && (dir === state.dir ? '' : `${disk.inside(state.dir, dir)}/`)
  const main =
    state && folder !== undefined
      ? await withNames(state, globals, () => mainOf(state, folder, globals))
      : null
  // A fault is not cached.
  if (!main?.fault) globals.cache.mainInDir.set(dir, main?.tool ?? null)
  return main
}

function mainOfTool(tool: ToolDef): Main {
  return { tool, namespace: namespaceOf(tool.name) }
}

/** Under `check` a main skill may come, go or change at any time. */
function kept(main: ToolDef | null | undefined, { config }: Globals): ToolDef | null | undefined {
  return config.freshness === 'trust' ? main : undefined
}

/** Finds the first tool of role `main` directly in a folder of a path entry, in order of path. */
async function mainOf(state: DirectoryState, folder: string, globals: Globals): Promise<Main | null> {
  const names = await namesOf(state, globals, now => filesIn(folder, now))
  for (const path of names ? mainFilesIn(folder, names, state, globals) : []) {
    const file = names?.file(path)
    const fault = file?.diagnostics.find(({ rule }) => rule === MAIN_BROKEN)
    if (fault) return { fault, path: disk.resolve(state.dir, path), namespace: namespaceAt(path, state) }
    for (const name of file?.tools ?? []) {
      const record = names?.tool(name)
      if (names && record && !isBroken(record) && record.frontmatter.role === 'main')
        return mainOfTool(toolOf({ state, names: holderOf(names, path), record }, globals))
    }
  }
  return null
}

/** The files directly in a folder that may contain a main skill. */
function mainFilesIn(
  folder: string,
  names: DirectoryNames,
  state: DirectoryState,
  globals: Globals,
): string[] {
  const mains = listedMains(names, state, globals)
  return mains ? mains.filter(path => folderOf(path) === folder) : filesIn(folder, names)
}

/** The files that contain a main skill, by the list of an index, so that not all of it is read; null without a list. */
function listedMains(names: DirectoryNames, state: DirectoryState, globals: Globals): string[] | null {
  if (globals.config.freshness !== 'trust') return null
  return toolList(names, state, globals)?.columns.mains.map(([path]) => path) ?? null
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}

/** The files of each folder, by names. */
const folders = new WeakMap<DirectoryNames, Map<string, string[]>>()

/** The files directly in a folder: `''`, or a path that ends with a slash. */
function filesIn(folder: string, names: DirectoryNames): string[] {
  const known = folders.get(names)
  if (known) return known.get(folder) ?? []
  const byFolder = new Map<string, string[]>()
  for (const path of names.paths()) addToGroup(byFolder, folderOf(path), path)
  folders.set(names, byFolder)
  return byFolder.get(folder) ?? []
}

/**
 * Finds the main skill above a tool: the nearest at or above its file, inside its path entry. For a tool without a
 * file, it is the project's main skill, or else the library's.
 */
export async function findAuthority(
  tool: ToolDef,
  globals: Globals = defaultGlobals(),
): Promise<ToolDef | null> {
  return (await authorityOf(tool, globals))?.tool ?? null
}

/** Finds the main skill above a tool, or the fault of the file that should be one. */
export async function authorityOf(tool: ToolDef, globals: Globals): Promise<Main | null> {
  const key = tool.src ?? tool.name
  const known = kept(globals.cache.authority.get(key), globals)
  if (known !== undefined) return known && mainOfTool(known)
  const authority = tool.origin.entry === '' ? await projectMain(globals) : await nearestMain(tool, globals)
  if (!authority?.fault) globals.cache.authority.set(key, authority?.tool ?? null)
  return authority
}

/**
 * The nearest folder at or above a tool's file, inside its unit, that may contain a main skill, or null. Reads loaded
 * records only, so use it where files do not change.
 */
export function mainFolder(tool: ToolDef, globals: Globals): string | null {
  const source = sourceOf(tool)
  if (!source) return ''
  const known = mainFolders.get(source.names) ?? foldersWithMain(source, globals)
  mainFolders.set(source.names, known)
  if (known.size === 0) return null
  const { file } = source.record
  const top = boundAt(file, source.state)
  const last = top === '' ? 0 : top.length + 1
  for (let end = file.lastIndexOf('/') + 1; end >= last; end = file.lastIndexOf('/', end - 2) + 1) {
    const folder = file.slice(0, end)
    if (known.has(folder)) return `${top}\0${folder}`
    if (end === 0) break
  }
  return null
}

/** The folders that may contain a main skill, by names. */
const mainFolders = new WeakMap<DirectoryNames, ReadonlySet<string>>()

/** The folders of all files, except those that certainly contain no main skill. */
function foldersWithMain({ names, state }: ToolSource, globals: Globals): ReadonlySet<string> {
  const mains = listedMains(names, state, globals)
  if (mains) return new Set(mains.map(folderOf))
  const plain = new Set<string>()
  const folders = new Set<string>()
  for (const name of names.names()) {
    const record = names.tool(name)
    // A file of several tools may contain a broken one, which has no record.
    if (!record || isBroken(record) || record.kind === 'code' || record.fragment !== undefined) continue
    if (record.frontmatter.role !== 'main') plain.add(record.file)
  }
  for (const path of names.paths()) if (!plain.has(path)) folders.add(folderOf(path))
  return folders
}

async function nearestMain(tool: ToolDef, globals: Globals): Promise<Main | null> {
  for await (const main of mainsAbove(tool, globals)) return main
  return null
}

/** Finds the main skill of a tool's namespace: the highest at or above the tool. */
export async function namespaceMain(tool: ToolDef, globals: Globals): Promise<Main | null> {
  let highest: Main | null = null
  for await (const main of mainsAbove(tool, globals)) if (main.namespace !== '') highest = main
  return highest
}

/**
 * The main skills at or above a tool's folder, inside its unit, nearest first, without those of other namespaces.
 */
async function* mainsAbove(tool: ToolDef, globals: Globals): AsyncGenerator<Main> {
  const { entry, file } = tool.origin
  const state = directoryStates(globals).find(({ dir }) => dir === entry)
  const top = state ? boundAt(file, state) : ''
  const folders = file.split('/').slice(0, -1)
  const last = top === '' ? 0 : top.split('/').length
  for (let depth = folders.length; depth >= last; depth--) {
    const main = await mainAt([entry, ...folders.slice(0, depth)].join('/'), globals)
    if (main && ['', namespaceOf(tool.name)].includes(main.namespace)) yield main
  }
}

/** The main skill for tools without a file: the project's, or else the library's. */
async function projectMain(globals: Globals): Promise<Main | null> {
  const isOne = (state: DirectoryState): boolean => isOwn(state) && reachesOut(state, globals)
  return (await rootMain(isOne, globals)) ?? rootMain(({ library }) => library === true, globals)
}

/** Finds the first main skill without a namespace at the top of a unit, in some directories. */
export async function rootMain(
  isOne: (state: DirectoryState) => boolean,
  globals: Globals,
): Promise<Main | null> {
  for (const state of directoryStates(globals).filter(isOne)) {
    await namesOf(state, globals)
    for (const { path } of state.units ?? [{ path: '' }]) {
      const main = await mainAt(path === '' ? state.dir : `${state.dir}/${path}`, globals)
      if (main?.namespace === '') return main
    }
  }
  return null
}
