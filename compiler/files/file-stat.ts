import { CLOCK_TICK } from '../../src/index/clock-tick.js'

/** The fields of a file's stat that show, without reading it, whether it changed. */
export interface FileStat {
  /** Bytes. */
  size: number
  mtimeMs: number
  ctimeMs: number
  ino: number
}

/** Copies these four fields of a `Stats`, or of a walked file. */
export function pickStat({ size, mtimeMs, ctimeMs, ino }: FileStat): FileStat {
  return { size, mtimeMs, ctimeMs, ino }
}

export function sameStat(a: FileStat, b: FileStat): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.ino === b.ino
}

/**
 * The file's `stat`, if it had settled by `lookedAt` (ms since the epoch); otherwise one that never matches. After a
 * very recent change, another one could leave the same times.
 */
export function settledStat(stat: FileStat, lookedAt: number): FileStat {
  const isOld = Math.max(stat.mtimeMs, stat.ctimeMs) < lookedAt - CLOCK_TICK
  return isOld ? stat : { ...pickStat(stat), ino: NO_FILE }
}

/** The number that no file has. */
const NO_FILE = -1

/** False for the stat of a file that had not settled. */
export function isSettled({ ino }: FileStat): boolean {
  return ino !== NO_FILE
}

/** True for a file that may have been written since a time (ms). Programs can set `mtime` back, but not `ctime`. */
export function isChangedSince(
  { mtimeMs, ctimeMs }: Pick<FileStat, 'mtimeMs' | 'ctimeMs'>,
  since: number,
): boolean {
  return Math.max(mtimeMs, ctimeMs) > since
}
