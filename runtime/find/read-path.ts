import { disk } from '#disk'
import type { Diagnostic } from '../../src/base/diagnostic.js'
import type { DirectoryNames } from '../../src/index/directory-names.js'
import { isBroken } from '../../src/index/index-format.js'
import { isInside } from '../../src/index/inside-path.js'
import { labelOf } from '../../src/skill/names.js'
import type { Reference } from '../../src/skill/reference.js'
import { toolBroken } from '../../src/skill/skill-faults.js'
import { noteBroken } from '../directory/directory-diagnostics.js'
import { isFresh } from '../directory/file-freshness.js'
import { askIndex, askLoaded, directoryStates, loadNamesakes, withNames } from '../directory/look-up.js'
import { loadParser, readAlone } from '../directory/read-files.js'
import type { Globals } from '../state/context.js'
import type { DirectoryState, Found } from '../state/directory-state.js'
import type { Resolution, ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'
import { completeTool } from './complete-tool.js'
import { toolOf } from './make-tool.js'

const SKILL_FILE = /(?:^|\/)(?:skill\.md|[^/]+\.skill\.(?:md|ts|js|mts|mjs))$/i

/** Implements `loadSkillsFromFile`. */
export async function loadSkills(path: string, globals: Globals): Promise<ToolDef[]> {
  if (globals.configure) await globals.configure()
  const at = await fileInEntry(path, globals)
  if (at === null) return []
  const known = keptTools(at, globals)
  if (known) return [...known]
  const found = await foundIn(at, globals)
  for (const one of found) noteBroken(one, globals)
  const tools = keepTools(at, found, globals)
  const [broken] = found.flatMap(one => faultOf(one))
  if (tools.length === 0 && broken) throw toolBroken(path, broken)
  return [...tools]
}

/** The cached tools of a file; none under `check`, as it may have changed. */
function keptTools({ state, file }: FileInEntry, { cache, config }: Globals): ToolDef[] | undefined {
  return config.freshness === 'trust' ? cache.file.get(disk.resolve(state.dir, file)) : undefined
}

/** Caches the valid tools of a file, if any. A file with faults only is read again. */
function keepTools(at: FileInEntry, found: readonly Found[], globals: Globals): ToolDef[] {
  const tools = found.flatMap(({ record, ...one }) =>
    isBroken(record) ? [] : [toolOf({ ...one, record }, globals)],
  )
  if (tools.length > 0) globals.cache.file.set(disk.resolve(at.state.dir, at.file), tools)
  return tools
}

/** Finds the tool of a file that a fragment names, or the first, and completes it by its code if needed. */
export async function loadPath(reference: PathReference, globals: Globals): Promise<Resolution> {
  const path = reference.kind === 'path' ? reference.path : disk.fromFileUrl(reference.url)
  const resolution = path === null ? null : await toolAt(path, reference.fragment, globals)
  if (!resolution?.tool) return resolution
  const source = sourceOf(resolution.tool)
  return source?.record.dynamic ? completeTool(resolution.tool, source, globals) : resolution
}

type PathReference = Extract<Reference, { kind: 'path' | 'file-url' }>

async function toolAt(path: string, fragment: string | undefined, globals: Globals): Promise<Resolution> {
  const at = await fileInEntry(path, globals)
  if (at === null) return null
  const named = ({ label }: ToolDef): boolean => label === fragment
  const known = fragment === undefined ? undefined : keptTools(at, globals)?.find(named)
  if (known) return { tool: known }
  const all = await foundIn(at, globals)
  keepTools(at, all, globals)
  const found =
    fragment === undefined
      ? all.find(({ isFirst }) => isFirst)
      : all.find(({ record }) => !isBroken(record) && labelOf(record.frontmatter.name) === fragment)
  const [tool] = found ? soundTool(found, globals) : []
  if (tool) return { tool }
  const [broken] = all.flatMap(one => faultOf(one))
  return broken ? { broken } : null
}

interface FileInEntry {
  state: DirectoryState
  /** Relative to the directory. */
  file: string
}

interface FoundInFile extends Found {
  /** True for the first tool, which a path without a fragment means. A bundle may lack it. */
  isFirst: boolean
}

/** Finds the path entry that contains a file, or else takes its own directory. */
async function fileInEntry(path: string, globals: Globals): Promise<FileInEntry | null> {
  const named = disk.resolve(globals.config.cwd ?? disk.cwd(), path)
  const file = fileAt(named)
  const isThere = stands(file)
  if (!SKILL_FILE.test(file.replaceAll('\\', '/')) && !isLost(file)) return null
  for (const state of directoryStates(globals)) {
    const inside = disk.inside(state.dir, file)
    if (inside === null || !isInside(inside)) continue
    // Code may be deployed as compiled modules, without its file.
    const isKnown = async (): Promise<boolean> =>
      globals.config.freshness === 'trust' &&
      ((await askLoaded(state, globals, index => index.file(inside))) ?? null) !== null
    if (isThere || (await isKnown())) return { state, file: inside }
  }
  if (!isThere) return null
  const dir = disk.resolve(file, '..')
  const inside = disk.inside(dir, file)
  if (inside === null || !isInside(inside)) return null
  return { state: { ...OUTSIDE, dir, alone: new Map() }, file: inside }
}

/**
 * The file that a path means: for a folder its SKILL.md, unless the folder itself has the name of a skill file.
 */
function fileAt(named: string): string {
  if (!disk.isDirectory(named)) return named
  const file = disk.resolve(named, 'SKILL.md')
  return SKILL_FILE.test(named.replaceAll('\\', '/')) && !stands(file) ? named : file
}

/** True for a file, and for an unreadable item of its name. */
function stands(file: string): boolean {
  return disk.stat(file) !== null || disk.isDirectory(file) || isLost(file)
}

/** True for a broken link, which may have led to a skill file. */
function isLost(file: string): boolean {
  const folder = disk.resolve(file, '..')
  const isListed = (): boolean =>
    disk.list(folder)?.some(item => disk.resolve(folder, item) === file) ?? false
  return disk.stat(file) === null && !disk.isDirectory(file) && isListed()
}

/** The directory of a file outside all path entries: it counts as the project's. */
const OUTSIDE = { external: false, layer: 'project' as const, ignore: [], index: null }

/**
 * The tools of a file, in order: from the index if it has all of them and the file did not change, else from the file.
 */
async function foundIn(at: FileInEntry, globals: Globals): Promise<FoundInFile[]> {
  const found = await withNames(at.state, globals, () => foundOnce(at, globals))
  for (const { names, record } of found) {
    if (names.via === 'bundle' && !isBroken(record)) await loadNamesakes(record.frontmatter.name, globals)
  }
  return found
}

async function foundOnce({ state, file }: FileInEntry, globals: Globals): Promise<FoundInFile[]> {
  const indexed = askIndex(state, globals, index => inNames(state, index, file)) ?? []
  // A file with a fault may contain tools that are not in the index.
  const isWhole =
    indexed.length > 0 &&
    indexed.every(({ names }) => !names.file(file)?.diagnostics.some(({ fatal }) => fatal))
  const isCurrent = globals.config.freshness === 'trust' || indexed.every(found => isFresh(found))
  if (isWhole && isCurrent) return indexed
  const parser = await loadParser(globals)
  const names = parser && (await readAlone(state, file, globals))
  return names ? inNames(state, names, file) : indexed
}

function inNames(state: DirectoryState, names: DirectoryNames, file: string): FoundInFile[] {
  const given = names.file(file)?.tools ?? []
  const all = given.length > 0 ? given : names.via === 'disk' ? names.names() : []
  return all.flatMap((name, number) => {
    const record = names.tool(name)
    return record ? [{ state, names, record, isFirst: number === 0 }] : []
  })
}

function soundTool(found: Found, globals: Globals): ToolDef[] {
  const { record } = found
  if (!isBroken(record)) return [toolOf({ ...found, record }, globals)]
  noteBroken(found, globals)
  return []
}

function faultOf({ state, record }: Found): Diagnostic[] {
  return isBroken(record) ? [{ ...record.broken, file: disk.resolve(state.dir, record.file) }] : []
}
