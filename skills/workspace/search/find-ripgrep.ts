import { constants } from 'node:fs'
import { access, realpath, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { delimiter, isAbsolute, join } from 'node:path'
import { within } from '../../../workspace/wall/place.js'
import type { Workspace } from '../../../workspace/wall/workspace.js'

const found = new WeakMap<Workspace, Promise<string | null>>()

/** The ripgrep to run for a workspace; null where there is none. It is looked for once. */
export function ripgrepFor(workspace: Workspace): Promise<string | null> {
  const known = found.get(workspace) ?? findRipgrep(workspace)
  found.set(workspace, known)
  return known
}

/** The one that the host installed as a package, else the first on its path, outside of what agents may write. */
async function findRipgrep({ folders, project }: Workspace): Promise<string | null> {
  const name = process.platform === 'win32' ? 'rg.exe' : 'rg'
  const onPath = (process.env.PATH ?? '')
    .split(delimiter)
    .filter(isAbsolute)
    .map(folder => join(folder, name))
  const installed = installedRipgrep()
  for (const path of [...(installed === null ? [] : [installed]), ...onPath]) {
    const real = await programAt(path)
    // An agent could have put a program of its own there.
    const isOurs =
      real !== null &&
      [...folders, ...(path === installed ? [] : [project])].some(folder => within(folder, real) !== null)
    if (real !== null && !isOurs) return real
  }
  return null
}

/** The path of the installed package, beside agent-apps or above it. */
function installedRipgrep(): string | null {
  try {
    const { rgPath } = createRequire(import.meta.url)('@vscode/ripgrep') as { rgPath?: unknown }
    return typeof rgPath === 'string' ? rgPath : null
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'MODULE_NOT_FOUND' || code === 'ERR_REQUIRE_ESM') return null
    throw error
  }
}

async function programAt(path: string): Promise<string | null> {
  try {
    const real = await realpath(path)
    await access(real, constants.X_OK)
    return (await stat(real)).isFile() ? real : null
  } catch {
    // What is not there or not to be run is not it.
    return null
  }
}
