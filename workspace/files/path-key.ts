import { posix } from 'node:path'

/**
 * A path as approvals and rules see it: the same one for the same place, however it is written. Links are not
 * followed, as nothing is looked at before a call is approved.
 */
export function pathKey(path: string): string {
  const plain = posix.normalize(path.replaceAll('\\', '/'))
  return plain.length > 1 ? plain.replace(/\/$/, '') : plain
}
