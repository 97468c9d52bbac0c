import { lstatSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { AgentAppsError, type PathEntry, type ToolDef } from 'agent-apps'

/**
 * Refuses a folder from which the project reads skills, since it would then read the export as its own.
 *
 * @throws EXPORT_PLACE
 */
export function checkPlace(
  dir: string,
  { cwd, paths, tools }: { cwd: string; paths: readonly PathEntry[]; tools: readonly ToolDef[] },
): void {
  const inside = tools.find(({ origin }) => isIn(join(origin.entry, origin.file), dir))
  if (inside)
    throw placeError(
      dir,
      `The project itself reads the skill ${inside.name} from ${dir}`,
      'Name a folder that the project does not read, such as one whose name begins with a dot, or exclude it with `ignore`.',
    )
  const around = searchedFolders(paths).find(entry => isSearched(dir, resolve(cwd, entry)))
  if (around !== undefined)
    throw placeError(
      dir,
      `It lies in ${around}, whose skills are exported`,
      'Name a folder elsewhere, or one whose name begins with a dot, since these are not searched.',
    )
}

/**
 * The real path of a folder, with links resolved as far as it exists.
 *
 * @throws EXPORT_PLACE for what is not a folder
 */
export function realFolder(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat?.isDirectory()) return realpathSync(path)
  if (stat || lstatSync(path, { throwIfNoEntry: false }))
    throw placeError(path, 'It is not a folder', 'Name another folder.')
  return join(realFolder(dirname(path)), basename(path))
}

/** The folders that are searched; none with `ignore`, whose matches are known only from what is found. */
function searchedFolders(paths: readonly PathEntry[]): string[] {
  if (paths.some(entry => typeof entry === 'object' && 'ignore' in entry)) return []
  return paths.flatMap(entry => {
    if (typeof entry === 'string') return [entry]
    return 'ignore' in entry || entry.discover ? [] : [entry.dir]
  })
}

function isSearched(dir: string, entry: string): boolean {
  if (!isIn(dir, entry)) return false
  return relative(entry, dir)
    .split(sep)
    .every(name => !name.startsWith('.') && name !== 'node_modules')
}

export function isIn(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && resolve(folder, way) === path
}

export function placeError(file: string, why: string, hint: string, cause?: unknown): AgentAppsError {
  return new AgentAppsError('EXPORT_PLACE', `Nothing was exported to ${file}. ${why}.`, { hint, file, cause })
}
