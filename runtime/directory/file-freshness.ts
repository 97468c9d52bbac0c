/** Compares files with what is known of them, under `check`. */

import { disk } from '#disk'
import { CLOCK_TICK } from '../../src/index/clock-tick.js'
import { type DirectoryNames, holderOf } from '../../src/index/directory-names.js'
import type { ModuleRecord } from '../../src/index/index-format.js'
import { IndexRefused } from '../../src/index/read-index.js'
import type { Globals } from '../state/context.js'
import type { DirectoryState, Found } from '../state/directory-state.js'
import type { ToolSource } from '../state/tool-source.js'

/** True where a record's file is as it was when the names were made. */
export function isFresh({ state, names, record }: Found): boolean {
  return isFileFresh(state, names, record.file)
}

/** The time at which files are looked at, in milliseconds since the epoch: in a turn when it began. */
export function lookTime(): number {
  return disk.turnUnderWay?.()?.began ?? Date.now()
}

/** The size and time of each file whose digest showed that it is the same although it was touched, by path. */
const verified = new WeakMap<DirectoryNames, Map<string, string>>()

/**
 * True where a file is as it was when the names were made: by size and time, or where the time may be that of a
 * change, by digest.
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
  // A file that changed just now may change again without its time showing it.
  if (mtimeMs < lookTime() - CLOCK_TICK) verified.set(holder, known.set(file, stamp))
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

/** True where a compiled module may be used: under `check`, where all that is bundled in it is as it was. */
export function isModuleFresh(
  { inputs, outside }: ModuleRecord,
  { state, names }: ToolSource,
  { config }: Globals,
): boolean {
  // The library's index was made with its code, and of more than is shipped beside it.
  if (config.freshness === 'trust' || state.library) return true
  // Of files outside of the directory, an index does not know what they were.
  return !outside && inputs.every(input => isStillFresh(state, names, input))
}
