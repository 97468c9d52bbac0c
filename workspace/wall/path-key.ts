import { posix, sep } from 'node:path'

/** The most characters of a path. Normalizing a longer one could take minutes, and no system has one. */
export const PATH_MAX = 4096

/**
 * The normalized path for approvals and rules. Links are not followed, since nothing is accessed before a call is approved.
 * A backslash separates names only on Windows. A string that is too long for a path stays as it is.
 */
export function pathKey(path: string): string {
  if (path.length > PATH_MAX) return path
  const plain = posix.normalize(path.replaceAll(sep, '/'))
  return plain.length > 1 ? plain.replace(/\/$/, '') : plain
}
