/** Compares files with what is known of them, under `check`. */

import { disk } from '#disk'
import type { DirectoryNames } from '../../src/index/directory-names.js'
import { IndexRefused } from '../../src/index/read-index.js'
import type { DirectoryState, Found } from '../state/directory-state.js'

/** True where a record's file is as it was when the names were made. */
export function isFresh({ state, names, record }: Found): boolean {
  return isFileFresh(state, names, record.file)
}

/**
 * True where a file is as it was when the names were made: by size and time, or where those differ by digest.
 */
export function isFileFresh(state: DirectoryState, names: DirectoryNames, file: string): boolean {
  const path = disk.resolve(state.dir, file)
  const now = disk.stat(path)
  const was = names.file(file)
  if (now === null || was === undefined) return false
  if (now.size !== was.size) return false
  if (now.mtimeMs <= names.madeAt) return true
  const stamp = `${now.size} ${now.mtimeMs} ${was.sha256}`
  if (state.verified.get(file) === stamp) return true
  if (disk.digestFile(path) !== was.sha256) return false
  state.verified.set(file, stamp)
  return true
}

/** False too where the index that a tool was found in is gone, and with it what its files were. */
export function isStillFresh(...asked: Parameters<typeof isFileFresh>): boolean {
  try {
    return isFileFresh(...asked)
  } catch (error) {
    if (error instanceof IndexRefused) return false
    throw error
  }
}
