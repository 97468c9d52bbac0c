import { CLOCK_TICK } from '../src/clock-tick.js'

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
 * True where a file was left alone long enough before `walkedAt` (ms) that its stat can vouch for its content: a change right before
 * could be followed by another that leaves the same times.
 */
export function isSettled({ mtimeMs, ctimeMs }: FileStat, walkedAt: number): boolean {
  return Math.max(mtimeMs, ctimeMs) < walkedAt - CLOCK_TICK
}
