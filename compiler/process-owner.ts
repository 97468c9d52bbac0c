import { hostname } from 'node:os'

/** A process of another machine cannot be asked for, and is taken for gone after this long. */
const FOREIGN_AGE = 600_000

/**
 * Names this process to others, also those of another machine, `<number> <host> <when>`: when it was is written down, as a
 * copy that came with a checkout has the checkout's time.
 */
export function processOwner(): string {
  return `${process.pid} ${hostname()} ${Date.now()}`
}

/** What `processOwner` gives; of an earlier version without the time; or a beginning of it. */
const OWNER = /^\d+(?: \S+(?: \d+)?)?$/
/** All of it. */
const WHOLE_OWNER = /^[1-9]\d* \S+ \d+$/

/** True for what may have been written to name a process; what else stands in its place is somebody's own. */
export function isOwner(text: string): boolean {
  return OWNER.test(text)
}

/** The same, where it must have been written whole and by this version. */
export function isWholeOwner(text: string): boolean {
  return WHOLE_OWNER.test(text)
}

/**
 * True where the process that `processOwner` named is gone.
 *
 * @param age of the file that names it (ms)
 */
export function isOwnerGone(owner: string, age = 0): boolean {
  const [pid, , madeAt] = owner.split(' ')
  if (isOwnerHere(owner)) return !isRunning(Number(pid))
  return Math.max(age, Date.now() - Number(madeAt || Date.now())) > FOREIGN_AGE
}

/** True for a process of this machine, which can be asked for. */
export function isOwnerHere(owner: string): boolean {
  return owner.split(' ')[1] === hostname()
}

/** When a process named itself, in ms since the epoch; NaN where that is not said. */
export function ownerTime(owner: string): number {
  return Number(owner.split(' ')[2])
}

function isRunning(pid: number): boolean {
  // Others would name groups of processes.
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
