import { closeSync, lstatSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AgentAppsError } from '../../src/error.js'
import { INDEX_DIRECTORY } from '../../src/index-format.js'
import { notWritable, prepareIndexDirectory } from '../index-directory.js'

/** Its name begins with `cache`, so that what keeps the cache out of version control keeps it out too. */
const LOCK_FILE = `${INDEX_DIRECTORY}/cache.lock`

const WAIT_LIMIT = 60_000
const POLL = 20
/** A lock of another machine, whose processes cannot be asked for, is taken for abandoned after this long. */
const FOREIGN_LOCK_AGE = 600_000
/** A lock is made and then written; one that stays empty for longer is of a process that was killed in between. */
const EMPTY_LOCK_AGE = 2_000

/**
 * Runs `work` as the only writer of a directory's index, over all processes. A lock whose process is gone is
 * taken over.
 *
 * @throws INDEX_LOCKED where another process keeps it for more than a minute
 */
export async function withDirectoryLock<Result>(
  directory: string,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const lock = join(directory, LOCK_FILE)
  prepareIndexDirectory(directory)
  const deadline = Date.now() + WAIT_LIMIT
  while (!acquire(directory, lock)) {
    if (Date.now() > deadline) {
      throw new AgentAppsError(
        'INDEX_LOCKED',
        `Another compile has been writing to ${directory} for a minute.`,
        {
          hint: `Wait for it, or remove ${lock} if none is running.`,
          file: lock,
        },
      )
    }
    await sleep(POLL)
  }
  try {
    return await work()
  } finally {
    rmSync(lock, { force: true })
  }
}

/** The lock that a process left behind which is gone, relative to the directory; none where one is held. */
export function abandonedLock(directory: string): string[] {
  return isAbandoned(join(directory, LOCK_FILE)) ? [LOCK_FILE] : []
}

function acquire(directory: string, lock: string): boolean {
  try {
    const descriptor = openSync(lock, 'wx')
    writeSync(descriptor, `${process.pid} ${hostname()}\n`)
    closeSync(descriptor)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw notWritable(directory, error)
    if (isAbandoned(lock)) rmSync(lock, { force: true })
    return false
  }
}

function isAbandoned(lock: string): boolean {
  try {
    // A pipe would never be read to its end; whoever put it there can say no more than "held".
    if (!lstatSync(lock).isFile()) return false
    const [pid, host] = readFileSync(lock, 'utf8').trim().split(' ')
    const age = Date.now() - statSync(lock).mtimeMs
    if (pid === '') return age > EMPTY_LOCK_AGE
    if (pid === undefined || host === undefined || host !== hostname()) return age > FOREIGN_LOCK_AGE
    return !isRunning(Number(pid))
  } catch {
    // Gone meanwhile: whoever held it has finished.
    return false
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
