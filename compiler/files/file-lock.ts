import { hash } from 'node:crypto'
import { closeSync, lstatSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { orNull } from '../../src/base/attempt.js'
import { AgentAppsError } from '../../src/base/error.js'
import { isOwner, isOwnerGone, processOwner } from './process-owner.js'
import { isFile, readRegularFile } from './regular-file.js'

/** The process that created the takeover file may remove the abandoned lock that the digits name. */
const TAKEOVER_ENDING = /^\.[0-9a-f]{16}$/

/** More bytes than any lock has. No more are read of a file in a lock's place. */
const LOCK_BYTES = 1_024

const WAIT_LIMIT = 60_000
const POLL = 20
/** A lock is created and then written. One that stays empty for longer belongs to a process that was killed in between. */
const EMPTY_LOCK_AGE = 2_000
/** Removing an abandoned lock takes microseconds. A process that takes longer was killed. */
const TAKEOVER_AGE = 10_000

interface Locked {
  /** The name of the protected thing in errors. */
  place: string
  /** Makes the error for a lock that the system refuses. */
  notWritable: (cause: unknown) => AgentAppsError
  /** Makes the error for a path that holds something that is not a lock file. */
  foreign: (lock: string) => AgentAppsError
  /** How long to wait for other processes, in ms. Default: a minute. */
  waitLimit?: number | undefined
}

/**
 * Runs `work` while this process holds a lock file, in a folder that exists. A lock whose process is gone is taken over.
 *
 * @throws INDEX_LOCKED where another process holds it until the wait ends
 */
export async function withFileLock<Result>(
  lock: string,
  { place, notWritable, foreign, waitLimit = WAIT_LIMIT }: Locked,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const deadline = Date.now() + waitLimit
  while (!acquire(lock, notWritable)) {
    if (isLockForeign(lock)) throw foreign(lock)
    if (Date.now() > deadline) {
      throw new AgentAppsError(
        'INDEX_LOCKED',
        `Another compile has been writing to ${place} for ${Math.round(waitLimit / 1000)} s.`,
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

/** True where a lock was left by a process that is gone. */
export function isLockAbandoned(lock: string): boolean {
  return abandonedBy(lock) !== null
}

/** True if a running process holds the lock. */
export function isLockHeld(lock: string): boolean {
  return isFile(lock) && !isLockForeign(lock) && !isLockAbandoned(lock)
}

/**
 * True if the path holds something that is not a lock file: it is never removed, and never waited for. False if it is gone, or
 * cannot be read and so is another user's lock.
 */
export function isLockForeign(lock: string): boolean {
  return orNull(() => !lstatSync(lock).isFile() || !isLockText(lockText(lock))) ?? false
}

/** The names of the files that ended processes left of a lock; empty if it is held, or its folder is missing. */
export function abandonedLock(lock: string): string[] {
  const folder = dirname(lock)
  const name = basename(lock)
  const isFolder = lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
  const isTakeover = (one: string) => one.startsWith(name) && TAKEOVER_ENDING.test(one.slice(name.length))
  return (isFolder ? readdirSync(folder) : []).filter(one => {
    const file = join(folder, one)
    return one === name
      ? isLockAbandoned(file)
      : isTakeover(one) && (isLockAbandoned(file) || isTakeoverOld(file))
  })
}

function acquire(lock: string, notWritable: Locked['notWritable']): boolean {
  try {
    makeFile(lock, `${processOwner()}\n`)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw notWritable(error)
    removeAbandoned(lock)
    return false
  }
}

function makeFile(file: string, text: string): void {
  const descriptor = openSync(file, 'wx')
  try {
    writeSync(descriptor, text)
  } catch (error) {
    rmSync(file, { force: true })
    throw error
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Removes a lock whose process is gone, and never one that another process took meanwhile: of all processes that see the same abandoned
 * lock, only one can create the file that is named for it. That one alone looks again and removes the lock.
 */
function removeAbandoned(lock: string): void {
  const abandoned = abandonedBy(lock)
  if (abandoned === null) return
  const takeover = `${lock}.${hash('sha256', abandoned).slice(0, 16)}`
  try {
    makeFile(takeover, `${processOwner()}\n`)
  } catch {
    // Another process is removing the lock, or was killed while it did.
    if (isTakeoverOld(takeover)) rmSync(takeover, { force: true })
    return
  }
  if (abandonedBy(lock) === abandoned) rmSync(lock, { force: true })
  rmSync(takeover, { force: true })
}

/** True for a takeover file that is too old to be in use. Another program's file of that name never is. */
function isTakeoverOld(file: string): boolean {
  const stat = lstatSync(file, { throwIfNoEntry: false })
  return stat !== undefined && !isLockForeign(file) && Date.now() - stat.mtimeMs > TAKEOVER_AGE
}

/** Identifies an abandoned lock among all others; null where the lock is held, or gone. */
function abandonedBy(lock: string): string | null {
  return orNull(() => {
    const { ino, mtimeMs } = lstatSync(lock)
    if (isLockForeign(lock)) return null
    const text = lockText(lock)
    const owner = text.trim()
    const isAbandoned = owner === '' ? Date.now() - mtimeMs > EMPTY_LOCK_AGE : isOwnerGone(owner)
    return isAbandoned ? `${ino} ${mtimeMs} ${text}` : null
  })
}

function lockText(lock: string): string {
  return readRegularFile(lock, LOCK_BYTES).toString()
}

function isLockText(text: string): boolean {
  return text.trim() === '' || isOwner(text.trim())
}
