/** The user's state files, where a person's answers outlive a process. */
import * as fs from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, sep } from 'node:path'
import type { UserState } from './disk-seam.js'

/**
 * The user's state files. Null if there is no folder for them, or it lies in one of the projects or their
 * repositories, whose authors could have written it.
 *
 * @param projects absolute
 */
export function userState(projects: readonly string[]): UserState | null {
  const folder = stateDirectory()
  const real = folder && realPath(folder)
  if (!real || projects.some(project => isIn(repositoryOf(realPath(project) ?? project), real))) return null
  return {
    readText: name => (isOfUserOnly(join(real, name)) ? fs.readFileSync(join(real, name), 'utf8') : null),
    append(name, line) {
      const file = join(real, name)
      fs.mkdirSync(real, { recursive: true, mode: 0o700 })
      if (fs.lstatSync(file, { throwIfNoEntry: false }) && !isOfUserOnly(file)) return false
      // A single append, so that lines of concurrent processes stay whole.
      fs.appendFileSync(file, `${line}\n`, { mode: 0o600 })
      return true
    },
  }
}

/** `agent-apps` in the user's folder for application state; null if the user has none. */
function stateDirectory(): string | null {
  const { XDG_STATE_HOME = '' } = process.env
  if (isAbsolute(XDG_STATE_HOME)) return join(XDG_STATE_HOME, 'agent-apps')
  const home = homedir()
  return isAbsolute(home) && fs.existsSync(home) ? join(home, '.local/state/agent-apps') : null
}

/** The real path of something that may not exist yet, by the nearest existing folder above it. */
function realPath(path: string): string | null {
  let above = path
  while (!fs.existsSync(above) && dirname(above) !== above) above = dirname(above)
  return fs.existsSync(above) ? join(fs.realpathSync.native(above), path.slice(above.length)) : null
}

/** The repository around a folder, or the folder itself: all of it may come from another author. */
function repositoryOf(folder: string): string {
  for (let above = folder; ; above = dirname(above)) {
    if (fs.existsSync(join(above, '.git'))) return above
    if (dirname(above) === above) return folder
  }
}

function isIn(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

/** True for a regular file that only this user can have written. */
function isOfUserOnly(file: string): boolean {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false })
  if (!stat?.isFile()) return false
  // Windows has no such modes.
  const isMine = process.getuid === undefined || stat.uid === process.getuid()
  return isMine && (process.platform === 'win32' || (stat.mode & 0o077) === 0)
}
