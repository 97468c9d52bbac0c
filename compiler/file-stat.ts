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

/**
 * A change this shortly (in ms) before a directory is walked could be followed by another that leaves the same
 * times: clocks of file systems tick every few milliseconds. Such a file's stat proves nothing.
 */
const CLOCK_TICK = 50

export function sameStat(a: FileStat, b: FileStat): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.ino === b.ino
}

/** True where a file was left alone long enough before `walkedAt` (ms) that its stat can vouch for its content. */
export function isSettled({ mtimeMs, ctimeMs }: FileStat, walkedAt: number): boolean {
  return Math.max(mtimeMs, ctimeMs) < walkedAt - CLOCK_TICK
}
