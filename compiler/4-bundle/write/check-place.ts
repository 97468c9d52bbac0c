import { existsSync, lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { AgentAppsError } from '../../../src/base/error.js'
import { isLockForeign } from '../../files/file-lock.js'
import { beginsWith, isThere } from '../../files/regular-file.js'
import { MARK } from '../parts/bundle-parts.js'
import { BUNDLE_NAME, type BundlePath, LOCK } from '../parts/bundle-place.js'
import { isListReplaceable, isMapOwn, LIST, readList } from './bundle-list.js'

/** A directory that is compiled, as far as a bundle must not lie in it. */
interface SkillDirectory {
  dir: string
  isIgnored: (path: string) => boolean
  isSearched: (path: string) => boolean
}

/**
 * Refuses a path where a bundle would become a source of the next compile, or replace a file that is not a bundle.
 *
 * @param hasMap whether its entry gets a source map
 * @throws BUNDLE_PLACE
 */
export function checkPlace(place: BundlePath, directories: readonly SkillDirectory[], hasMap: boolean): void {
  const { folder, name, chunks } = place
  checkOutside(join(folder, name), directories)
  checkFiles(place, hasMap)
  const lock = join(folder, chunks, LOCK)
  if (isLockForeign(lock)) throw foreignFile(lock)
}

/**
 * Refuses a path where a bundle would replace a file that is not a bundle's, or take the folder of another one. The holder of the path's lock
 * asks again: another bundle, or a file, may have come meanwhile.
 *
 * @throws BUNDLE_PLACE
 */
export function checkFiles(place: BundlePath, hasMap: boolean): void {
  const { folder, name, chunks, types } = place
  for (const file of [name, types]) checkReplaceable(join(folder, file), MARK)
  const map = join(folder, `${name}.map`)
  if (hasMap && isThere(map) && !isMapOwn(place)) throw foreignFile(map)
  const folderOfChunks = join(folder, chunks)
  if (existsSync(folderOfChunks) && !lstatSync(folderOfChunks).isDirectory())
    throw wrongPlace('bundle', folderOfChunks, 'is not a folder', {
      hint: 'Choose another name, or remove it.',
    })
  if (!isListReplaceable(folderOfChunks)) throw foreignFile(join(folderOfChunks, LIST))
  const { entry } = readList(folderOfChunks)
  if (entry !== '' && entry !== name && existsSync(join(folder, entry)))
    throw wrongPlace('bundle', folderOfChunks, `has the chunks of another bundle, ${entry}`, {
      hint: 'Give this one a name that differs in more than its ending, or remove the other.',
    })
}

/**
 * Refuses a file that would become a source of the next compile.
 *
 * @param noun what the message calls the file
 * @throws BUNDLE_PLACE
 */
export function checkOutside(
  file: string,
  directories: readonly SkillDirectory[],
  noun: Noun = 'bundle',
): void {
  for (const { dir, isIgnored, isSearched } of directories) {
    const place = join(realPath(dirname(file)), basename(file))
    const path = relative(realpathSync.native(dir), place).replaceAll('\\', '/')
    const isInside = path !== '..' && !path.startsWith('../') && !/^[A-Za-z]:/.test(path)
    if (!isInside || isLeftOut(path, isIgnored) || !isSearched(path)) continue
    throw wrongPlace(noun, file, `lies in ${dir}, whose skills are compiled`, {
      hint: 'Write it elsewhere, or leave its folder out with an ignore pattern.',
    })
  }
}

/**
 * Refuses an existing file that we did not write.
 *
 * @param mark the first characters of our files
 * @param noun what the message calls the file
 * @throws BUNDLE_PLACE
 */
export function checkReplaceable(file: string, mark: string, noun: Noun = 'bundle'): void {
  if (isThere(file) && !beginsWith(file, mark)) throw foreignFile(file, noun)
}

/** The error for another program's file with the name of one of ours. */
export function foreignFile(file: string, noun: Noun = 'bundle'): AgentAppsError {
  return wrongPlace(noun, file, 'is there already, and is not from agent-apps', {
    hint: 'Choose another name, or remove it.',
  })
}

/** The kind of file in an error. */
type Noun = 'bundle' | 'declarations'

function wrongPlace(noun: Noun, file: string, what: string, { hint }: { hint: string }): AgentAppsError {
  return new AgentAppsError('BUNDLE_PLACE', `No ${noun} can be written: ${file} ${what}.`, { hint, file })
}

/** A folder's real path, as far as it exists. */
function realPath(folder: string): string {
  return existsSync(folder) ? realpathSync.native(folder) : join(realPath(dirname(folder)), basename(folder))
}

/** True where looking for skills does not lead to a path. */
function isLeftOut(path: string, isIgnored: (path: string) => boolean): boolean {
  const names = path.split('/')
  const isHidden = names.slice(0, -1).some(name => name.startsWith('.') || name === 'node_modules')
  return isHidden || names.some((_, index) => isIgnored(names.slice(0, index + 1).join('/')))
}

/** True for a bundle's entry. */
export function isBundle(file: string): boolean {
  return BUNDLE_NAME.test(basename(file)) && beginsWith(file, MARK)
}
