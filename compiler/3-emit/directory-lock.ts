import { join } from 'node:path'
import { AgentAppsError } from '../../src/base/error.js'
import { INDEX_DIRECTORY } from '../../src/index/index-format.js'
import { abandonedLock, isLockAbandoned, isLockHeld, withFileLock } from '../files/file-lock.js'
import { notWritable, prepareIndexDirectory } from '../index/index-directory.js'

/** Its name begins with `cache`, so that what keeps the cache out of version control keeps it out too. */
const LOCK_FILE = `${INDEX_DIRECTORY}/cache.lock`

/**
 * Runs `work` as the only writer of a directory's index, over all processes.
 *
 * @param waitLimit how long (ms) others are waited for
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
  return withFileLock(join(directory, LOCK_FILE), locked, work)
}

function foreign(lock: string): AgentAppsError {
  return new AgentAppsError('INDEX_NOT_WRITABLE', `${lock} is there already, and is no lock of agent-apps.`, {
    hint: 'Remove it, so that the compiler can make its own.',
    file: lock,
  })
}

/** True where a process that runs holds the directory's lock. */
export function isDirectoryLocked(directory: string): boolean {
  return isLockHeld(join(directory, LOCK_FILE))
}

/** True where the directory's lock was left by a process that is gone. */
export function isDirectoryLockAbandoned(directory: string): boolean {
  return isLockAbandoned(join(directory, LOCK_FILE))
}

/** What processes that are gone left behind of the directory's lock, relative to it; nothing where it is held. */
export function abandonedDirectoryLock(directory: string): string[] {
  return abandonedLock(join(directory, LOCK_FILE)).map(name => `${INDEX_DIRECTORY}/${name}`)
}
