import { posix, sep } from 'node:path'

/**
 * A path as approvals and rules see it: the same one for the same place, however it is written. Links are not
 * followed, as nothing is looked at before a call is approved. Only on Windows a backslash parts two names.
 */
export function pathKey(path: string): string {
  const plain = posix.normalize(path.replaceAll(sep, '/'))
  return plain.length > 1 ? plain.replace(/\/$/, '') : plain
}
