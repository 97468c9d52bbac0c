/** Compares files with the index or an earlier look, under `check`. */

import { disk } from '#disk'
import { CLOCK_TICK } from '../../src/index/clock-tick.js'
import { type DirectoryNames, holderOf } from '../../src/index/directory-names.js'
import type { ModuleRecord } from '../../src/index/index-format.js'
import { IndexRefused } from '../../src/index/read-index.js'
import type { Globals } from '../state/context.js'
import type { DirectoryState, Found } from '../state/directory-state.js'
import type { ToolSource } from '../state/tool-source.js'

/** True if a record's file has not changed since the names were made. */
export function isFresh({ state, names, record }: Found): boolean {
  return isFileFresh(state, names, record.file)
}

/** The time of a look at files, in milliseconds since the epoch: in a turn, its start. */
export function lookTime(): number {
  return disk.turnUnderWay?.()?.began ?? Date.now()
}

/** The size and time of each file whose time is new and whose digest is not, by path. */
const verified = new WeakMap<DirectoryNames, Map<string, string>>()

/**
 * True if a file has not changed since the names were made: by size and time, or, if the time may be that of a change,
 * by digest.
 */
export function isFileFresh({ dir }: DirectoryState, names: DirectoryNames, file: string): boolean {
  const path = disk.resolve(dir, file)
  const now = disk.stat(path)
  const holder = holderOf(names, file)
  const was = holder.file(file)
  if (!now || !was || now.size !== was.size) return false
  const { mtimeMs } = now
  if (mtimeMs < holder.madeAt - CLOCK_TICK && (holder.timeOf?.(file) ?? mtimeMs) === mtimeMs) return true
  const known = verified.get(holder) ?? new Map<string, string>()
  const stamp = `${now.size} ${mtimeMs}`
  if (known.get(file) === stamp) return true
  if (disk.digestFile(path) !== was.sha256) return false
  // A file that changed just now may change again without another time.
  if (mtimeMs < lookTime() - CLOCK_TICK) verified.set(holder, known.set(file, stamp))
  return true
}

/** False also if the index that a tool was found in is gone, and its digests with it. */
export function isStillFresh(...asked: Parameters<typeof isFileFresh>): boolean {
  try {
    return isFileFresh(...asked)
  } catch (error) {
    if (error instanceof IndexRefused) return false
    throw error
  }
}

/** True if a compiled module may be used: under `check`, if nothing that is bundled in it has changed. */
export function isModuleFresh(
  { inputs, outside }: ModuleRecord,
  { state, names }: ToolSource,
  { config }: Globals,
): boolean {
  // The library's sources are not all shipped beside its index.
  if (config.freshness === 'trust' || state.library) return true
  // An index has no digests of files outside the directory.
  return !outside && inputs.every(input => isStillFresh(state, names, input))
}
