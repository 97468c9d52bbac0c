import { posix, sep } from 'node:path'

/** The most characters of a path: to normalize a longer one could take minutes, and no system has one. */
export const PATH_MAX = 4096

/**
 * A path as approvals and rules see it: the same one for the same place, however it is written. Links are not
 * followed, as nothing is looked at before a call is approved. Only on Windows a backslash parts two names. One that is
 * too long for a path leads nowhere, and stays as it is.
 */
export function pathKey(path: string): string {
  if (path.length > PATH_MAX) return path
  const plain = posix.normalize(path.replaceAll(sep, '/'))
  return plain.length > 1 ? plain.replace(/\/$/, '') : plain
}
