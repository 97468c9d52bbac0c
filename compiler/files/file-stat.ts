import { CLOCK_TICK } from '../../src/index/clock-tick.js'

/** A file as the file system knows it: what tells, without reading it, that it is the same as before. */
export interface FileStat {
  /** Bytes. */
  size: number
  mtimeMs: number
  ctimeMs: number
  ino: number
}

/** Of a stat, or of what was walked, that alone. */
export function pickStat({ size, mtimeMs, ctimeMs, ino }: FileStat): FileStat {
  return { size, mtimeMs, ctimeMs, ino }
}

export function sameStat(a: FileStat, b: FileStat): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.ino === b.ino
}

/**
 * The stat that is to vouch for a file's content later: the same, where the file was left alone long enough before `lookedAt` (ms since
 * the epoch), else one that matches none, as a change right before could be followed by another that leaves the same times.
 */
export function vouchingStat(stat: FileStat, lookedAt: number): FileStat {
  const isSettled = Math.max(stat.mtimeMs, stat.ctimeMs) < lookedAt - CLOCK_TICK
  return isSettled ? stat : { ...pickStat(stat), ino: NO_FILE }
}

/** The number that no file has. */
const NO_FILE = -1

/** True for a stat that a file can have. */
export function vouches({ ino }: FileStat): boolean {
  return ino !== NO_FILE
}

/** True for a file that may have been written since a time (ms). Its own time can be set back, the system's of its last change cannot. */
export function isChangedSince(
  { mtimeMs, ctimeMs }: Pick<FileStat, 'mtimeMs' | 'ctimeMs'>,
  since: number,
): boolean {
  return Math.max(mtimeMs, ctimeMs) > since
}
