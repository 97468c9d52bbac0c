import { hash } from 'node:crypto'
import { closeSync, lstatSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AgentAppsError } from '../../src/base/error.js'
import { isFile } from './known-file.js'
import { isOwner, isOwnerGone, processOwner } from './process-owner.js'
import { readRegularFile } from './regular-file.js'

/** Who has made one may remove an abandoned lock; the digits say which. */
const TAKEOVER_ENDING = /^\.[0-9a-f]{16}$/

/** More bytes than any lock has: no more are read of a file in a lock's place. */
const LOCK_BYTES = 1_024

const WAIT_LIMIT = 60_000
const POLL = 20
/** A lock is made and then written; one that stays empty for longer is of a process that was killed in between. */
const EMPTY_LOCK_AGE = 2_000
/** Removing an abandoned lock is a matter of microseconds; who takes longer was killed on the way. */
const TAKEOVER_AGE = 10_000

interface Locked {
  /** What only one process at a time writes to, as errors say it. */
  place: string
  /** What is thrown where the system refuses the lock. */
  notWritable: (cause: unknown) => AgentAppsError
  /** What is thrown where something has the lock's name that no process of ours put there. */
  foreign: (lock: string) => AgentAppsError
  /** How long (ms) others are waited for. Default: a minute. */
  waitLimit?: number | undefined
}

/**
 * Runs `work` while no other process holds a lock file, whose folder is there. A lock whose process is gone is taken over.
 *
 * @throws INDEX_LOCKED where another process keeps it for longer than is waited
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

/** True where a process that runs holds a lock. */
export function isLockHeld(lock: string): boolean {
  return isFile(lock) && !isLockForeign(lock) && !isLockAbandoned(lock)
}

/** True where what lies there is no lock: it is never removed, and waiting for it would be in vain. */
export function isLockForeign(lock: string): boolean {
  try {
    // A pipe would never be read to its end.
    return !lstatSync(lock).isFile() || !isLockText(readRegularFile(lock, LOCK_BYTES).toString())
  } catch {
    // It went meanwhile, or it may not be read: then it is one of another user.
    return false
  }
}

/** What processes that are gone left behind of a lock, as names in its folder; nothing where it is held, or there is no such folder. */
export function abandonedLock(lock: string): string[] {
  const folder = dirname(lock)
  const name = basename(lock)
  const isFolder = lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
  const takeovers = (isFolder ? readdirSync(folder) : []).filter(
    one =>
      one.startsWith(name) &&
      TAKEOVER_ENDING.test(one.slice(name.length)) &&
      isTakeoverAbandoned(join(folder, one)),
  )
  return [...(isLockAbandoned(lock) ? [name] : []), ...takeovers]
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
 * Removes a lock whose process is gone, and never one that somebody took meanwhile: of all who see the same
 * abandoned lock only one can make the file named for it, and only who made that removes the lock, having looked again.
 */
function removeAbandoned(lock: string): void {
  const abandoned = abandonedBy(lock)
  if (abandoned === null) return
  const takeover = `${lock}.${hash('sha256', abandoned).slice(0, 16)}`
  try {
    makeFile(takeover, `${processOwner()}\n`)
  } catch {
    // Another process is at it; one that was killed at it is waited for no longer.
    if (isTakeoverOld(takeover)) rmSync(takeover, { force: true })
    return
  }
  if (abandonedBy(lock) === abandoned) rmSync(lock, { force: true })
  rmSync(takeover, { force: true })
}

function isTakeoverAbandoned(file: string): boolean {
  return abandonedBy(file) !== null || isTakeoverOld(file)
}

/** True for a takeover file that is too old to be in use. A file of somebody else's with that name never is. */
function isTakeoverOld(file: string): boolean {
  return !isLockForeign(file) && ageOf(file) > TAKEOVER_AGE
}

/** What tells an abandoned lock from every other; null where the lock is held, or gone. */
function abandonedBy(lock: string): string | null {
  try {
    const stat = lstatSync(lock)
    if (isLockForeign(lock)) return null
    const text = readRegularFile(lock).toString()
    return isAbandoned(text, Date.now() - stat.mtimeMs) ? `${stat.ino} ${stat.mtimeMs} ${text}` : null
  } catch {
    // Gone meanwhile: whoever held it has finished.
    return null
  }
}

function isLockText(text: string): boolean {
  const owner = text.trim()
  return owner === '' || isOwner(owner)
}

/** Whether nobody holds a lock of this text and age (ms) any more. */
function isAbandoned(text: string, age: number): boolean {
  const owner = text.trim()
  return owner === '' ? age > EMPTY_LOCK_AGE : isOwnerGone(owner, age)
}

/** In ms; 0 where it is gone. */
function ageOf(file: string): number {
  const stat = lstatSync(file, { throwIfNoEntry: false })
  return stat ? Date.now() - stat.mtimeMs : 0
}
