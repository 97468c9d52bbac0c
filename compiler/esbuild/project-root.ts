import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'

const LOCK_FILES = ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb']

/**
 * The folder that a directory's code may take files from: the nearest above it that is a repository or has a
 * lock file, else the nearest with a package.json, else the directory itself. Real, absolute.
 */
export function projectRoot(directory: string): string {
  const start = realpathSync.native(directory)
  const above = [...ancestors(start)]
  const whole = above.find(folder => ['.git', ...LOCK_FILES].some(name => existsSync(join(folder, name))))
  return whole ?? above.find(folder => existsSync(join(folder, 'package.json'))) ?? start
}

/** True for a real path that belongs to the project, or to a package installed for it. */
export function belongsTo(root: string, realFile: string): boolean {
  if (realFile.startsWith(root + sep)) return true
  const [home] = realFile.split(`${sep}node_modules${sep}`)
  return home !== realFile && home !== undefined && (root === home || root.startsWith(home + sep))
}

function* ancestors(folder: string): Generator<string> {
  yield folder
  if (dirname(folder) !== folder) yield* ancestors(dirname(folder))
}
