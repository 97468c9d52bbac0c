import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { isChangedSince } from '../files/file-stat.js'
import { digestFile, unlessGone } from '../files/regular-file.js'
import type { CompileCache } from './compile-cache.js'

/** True for a file of the last compile that was not changed since, or is what it was nevertheless. */
export function isAsMade(directory: string, file: string, cache: CompileCache | null): boolean {
  const made = cache?.made.get(file)
  const path = join(directory, file)
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!cache || !made || !stat?.isFile() || stat.size !== made.size) return false
  return !isChangedSince(stat, cache.savedAt) || unlessGone(() => digestFile(path)) === made.sha256
}
