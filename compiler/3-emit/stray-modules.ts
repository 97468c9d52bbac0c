import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { INDEX_DIRECTORY, INDEX_FILE } from '../../src/index/index-format.js'
import type { IndexText } from '../../src/index/read-index.js'
import { MODULE_MARK } from '../esbuild/banners.js'
import { beginsWith, isFile, MAP_MARK } from '../files/known-file.js'
import { readWritten } from '../index/read-written.js'

const MODULE_NAME = /^(?:module|chunk)-[0-9A-Z]{8}\.mjs(?:\.map)?$/

/** The modules that an index names, relative to its directory. */
export function modulesOf(written: IndexText | null): Set<string> {
  return new Set([written?.header.modules ?? []].flat())
}

/**
 * The modules in a directory's folder that a compile wrote and that are not named, relative to the directory. A compile that was killed
 * leaves such, as does one whose index names others.
 */
export function strayModules(directory: string, named: ReadonlySet<string>): string[] {
  const folder = join(directory, INDEX_DIRECTORY)
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  return readdirSync(folder)
    .map(name => `${INDEX_DIRECTORY}/${name}`)
    .filter(file => !named.has(file) && isOwnModule(directory, file))
}

/** The modules that the index of a directory does not name. Nothing is known of them where it cannot be read: another version may have written it. */
export function unnamedModules(directory: string): string[] {
  const written = readWritten(directory)
  return written === null && isFile(join(directory, INDEX_FILE))
    ? []
    : strayModules(directory, modulesOf(written))
}

/** True for a file that code or a schema was compiled to, by its name and its first line. All others are not ours to remove. */
export function isOwnModule(directory: string, file: string): boolean {
  const mark = file.endsWith('.map') ? MAP_MARK : MODULE_MARK
  return MODULE_NAME.test(file.slice(INDEX_DIRECTORY.length + 1)) && beginsWith(join(directory, file), mark)
}
