/** The module that the process was started with. */
import { realpathSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { isAbsolute, join, sep } from 'node:path'

/**
 * True where the program that runs is part of a project: its main module lies in the project's folder, and was not
 * installed there. To run it is to run the project's code.
 *
 * @param folder absolute
 */
export function isProgramOf(folder: string): boolean {
  const root = realPath(folder)
  const main = mainModule()
  if (root === null || main === null || main.split(sep).includes('node_modules')) return false
  return isIn(root, main) && !isShared(root)
}

/** Options with which Node runs no module, so that an argument behind them would pass for one. */
const RUNS_NO_MODULE = /^(?:-e|-p|-pe|--eval|--print|--snapshot-blob)(?:=|$)/

/** Hosts that may have an argument where Node has the main module: an application of Electron the file that it is to open. */
const OTHER_HOSTS = ['bun', 'deno', 'electron']

/** The real path of the main module; null where there is none, and where that cannot be told. */
function mainModule(): string | null {
  const { argv, execArgv, versions } = process
  const [, main] = argv
  const isOther = OTHER_HOSTS.some(name => name in versions)
  if (main === undefined || isOther || execArgv.some(option => RUNS_NO_MODULE.test(option))) return null
  // Node makes the path absolute, and leaves extensions and `index.js` out if the command line did.
  return isAbsolute(main) ? realPath(main, () => createRequire(main).resolve(main)) : null
}

/** True for a folder that holds more than a project: all that a user has, or what anybody may add to. */
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
    // No trust comes of what cannot be read, for whatever reason.
    return null
  }
}
