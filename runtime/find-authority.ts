import { disk } from '#disk'
import { isBroken } from '../src/index-format.js'
import { type DirectoryState, directoryStates, lookUp, withNames } from './directory-state.js'
import type { Disk } from './disk-seam.js'
import { defaultGlobals, type Globals } from './globals.js'
import { files } from './lazy.js'
import { toolOf } from './make-tool.js'
import type { ToolDef } from './tool-def.js'

/** The main skill (`role: main`) that lies directly in a directory; null where there is none. `dir` is absolute. */
export async function mainInDir(dir: string, globals: Globals = defaultGlobals()): Promise<ToolDef | null> {
  const host = disk
  const known = globals.cache.mainInDir.get(dir)
  if (known !== undefined || host === null) return known ?? null
  const state = directoryStates(globals, host).find(
    one => one.dir === dir || host.inside(one.dir, dir) !== null,
  )
  const folder = state && (dir === state.dir ? '' : `${host.inside(state.dir, dir)}/`)
  const main =
    state && folder !== undefined
      ? await withNames(state, globals, host, () => mainOf(state, folder, globals, host))
      : null
  globals.cache.mainInDir.set(dir, main)
  return main
}

/** The first tool of role `main`, by name, whose file lies directly in a folder of a path entry. */
async function mainOf(
  state: DirectoryState,
  folder: string,
  globals: Globals,
  host: Disk,
): Promise<ToolDef | null> {
  const names = await (await files()).namesOf(state, globals, host)
  if (names === null) return null
  for (const path of names.paths().sort()) {
    const isDirect = path.startsWith(folder) && !path.slice(folder.length).includes('/')
    if (!isDirect) continue
    for (const name of names.file(path)?.tools ?? []) {
      const found = await lookUp(state, name, globals, host)
      if (found && !isBroken(found.record) && found.record.frontmatter.role === 'main') {
        return toolOf({ ...found, record: found.record }, globals, host)
      }
    }
  }
  return null
}

/**
 * The main skill that a tool stands under: the nearest at or above its file, inside its path entry. A tool
 * without a file has the project's main skill, or else the library's.
 */
export async function findAuthority(
  tool: ToolDef,
  globals: Globals = defaultGlobals(),
): Promise<ToolDef | null> {
  const key = tool.src ?? tool.name
  const known = globals.cache.authority.get(key)
  if (known !== undefined) return known
  const authority = tool.origin.entry === '' ? await projectMain(globals) : await nearestMain(tool, globals)
  globals.cache.authority.set(key, authority)
  return authority
}

async function nearestMain({ origin: { entry, file } }: ToolDef, globals: Globals): Promise<ToolDef | null> {
  const folders = file.split('/').slice(0, -1)
  for (let depth = folders.length; depth >= 0; depth--) {
    const main = await mainInDir([entry, ...folders.slice(0, depth)].join('/'), globals)
    if (main) return main
  }
  return null
}

/** The main skill at the root of the first project entry that has one, else the library's. */
async function projectMain(globals: Globals): Promise<ToolDef | null> {
  const states = disk ? directoryStates(globals, disk) : []
  const own = states.filter(({ layer, external }) => layer === 'project' && !external)
  for (const { dir } of [...own, ...states.filter(({ library }) => library)]) {
    const main = await mainInDir(dir, globals)
    if (main) return main
  }
  return null
}
