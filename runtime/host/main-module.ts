/** The module that the process was started with. */
import { realpathSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { isAbsolute, join, sep } from 'node:path'

/**
 * True if the running program is part of a project, so that its code runs anyway: its main module lies in the
 * project's folder, and was not installed there.
 *
 * @param folder absolute
 */
export function isProgramOf(folder: string): boolean {
  const root = realPath(folder)
  const main = mainModule()
  if (root === null || main === null || main.split(sep).includes('node_modules')) return false
  return isIn(root, main) && !isShared(root)
}

/** Options with which Node runs no main module, so that an argument could pass for one. */
const RUNS_NO_MODULE = /^(?:-e|-p|-pe|--eval|--print|--snapshot-blob)(?:=|$)/

/** Hosts whose first argument may be something else than the main module, such as a file that an Electron application opens. */
const OTHER_HOSTS = ['bun', 'deno', 'electron']

/** The real path of the main module; null if there is none or it is unknown. */
function mainModule(): string | null {
  const { argv, execArgv, versions } = process
  const [, main] = argv
  const isOther = OTHER_HOSTS.some(name => name in versions)
  if (main === undefined || isOther || execArgv.some(option => RUNS_NO_MODULE.test(option))) return null
  // Node makes the path absolute, but does not add an extension or `index.js`.
  return isAbsolute(main) ? realPath(main, () => createRequire(main).resolve(main)) : null
}

/** True for a folder that contains more than a project: a home directory, one above it, or one that all users may write. */
function isShared(root: string): boolean {
  const home = realPath(homedir())
  // Windows has no such modes.
  const isOpen = process.platform !== 'win32' && (statSync(root).mode & 0o002) !== 0
  return isOpen || home === null || root === home || isIn(root, home)
}

function isIn(root: string, path: string): boolean {
  return path.startsWith(join(root, sep))
}

/** Null if it does not exist or cannot be read. */
function realPath(path: string, find = (): string => path): string | null {
  try {
    return realpathSync.native(find())
  } catch {
    // An unreadable path earns no trust, whatever the reason.
    return null
  }
}
