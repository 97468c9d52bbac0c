import { join } from 'node:path'
import { AgentAppsError } from '../../src/base/error.js'
import { INDEX_DIRECTORY } from '../../src/index/index-format.js'
import { abandonedLock, withFileLock } from '../files/file-lock.js'
import { notWritable, prepareIndexDirectory } from '../index/index-directory.js'

/** Its name begins with `cache`, so that the rule that keeps the cache out of version control applies to it, too. */
const LOCK_FILE = `${INDEX_DIRECTORY}/cache.lock`

/**
 * Runs `work` as the only writer of a directory's index, over all processes.
 *
 * @param waitLimit how long to wait for other processes, in ms
 * @throws INDEX_LOCKED, INDEX_NOT_WRITABLE
 */
export async function withDirectoryLock<Result>(
  directory: string,
  work: () => Result | Promise<Result>,
  waitLimit?: number,
): Promise<Result> {
  prepareIndexDirectory(directory)
  const refused = (cause: unknown) => notWritable(directory, cause)
  const locked = { place: directory, notWritable: refused, foreign, waitLimit }
  return withFileLock(directoryLock(directory), locked, work)
}

function foreign(lock: string): AgentAppsError {
  return new AgentAppsError(
    'INDEX_NOT_WRITABLE',
    `${lock} exists already, and is not a lock of agent-apps.`,
    {
      hint: 'Remove it, so that the compiler can make its own.',
      file: lock,
    },
  )
}

/** The lock of a directory, absolute. */
export function directoryLock(directory: string): string {
  return join(directory, LOCK_FILE)
}

/** The files that processes which are gone left behind of the directory's lock, relative to the directory; none where it is held. */
export function abandonedDirectoryLock(directory: string): string[] {
  return abandonedLock(directoryLock(directory)).map(name => `${INDEX_DIRECTORY}/${name}`)
}
