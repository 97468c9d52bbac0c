import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

/** A process of another machine cannot be asked for, and is taken for gone after this long. */
const FOREIGN_AGE = 600_000

/**
 * Names this process to others, also those of another machine, `<number> <host> <when> <start>`: when it was is written down, as a
 * copy that came with a checkout has the checkout's time; when the process started, as a container gives its processes the same numbers
 * at every start.
 */
export function processOwner(): string {
  return `${process.pid} ${hostname()} ${Date.now()} ${startOf(process.pid)}`
}

/** What `processOwner` gives, what earlier versions gave (without the start, or without the time), or the beginning of either. */
const OWNER = /^\d+(?: \S+(?: \d+){0,2})?$/
/** What `processOwner` gives; the start may be missing. */
const WHOLE_OWNER = /^[1-9]\d* \S+ \d+(?: \d+)?$/

/** True for a text that may have been written to name a process, by this version or an earlier one, wholly or in part. */
export function isOwner(text: string): boolean {
  return OWNER.test(text)
}

/** True for a text that names a process as this version writes it, not cut off. */
export function isWholeOwner(text: string): boolean {
  return WHOLE_OWNER.test(text)
}

/**
 * True where the process that `processOwner` named is gone.
 *
 * @param age of the file that names it (ms)
 */
export function isOwnerGone(owner: string, age = 0): boolean {
  const [pid, , madeAt, start = UNKNOWN] = owner.split(' ')
  if (isOwnerHere(owner)) {
    // What this process holds has its start.
    if (Number(pid) === process.pid) return start !== startOf(process.pid) || Number(madeAt) < ownStart()
    return !isRunning(Number(pid)) || (/^[1-9]\d*$/.test(start) && start !== startOf(Number(pid)))
  }
  return Math.max(age, Date.now() - Number(madeAt || Date.now())) > FOREIGN_AGE
}

/** True for a process of this machine, which can be asked for. */
export function isOwnerHere(owner: string): boolean {
  return owner.split(' ')[1] === hostname()
}

/** Where the system does not tell when a process started, or the owner did not write it down. */
const UNKNOWN = '0'

/** When a process of this machine started, as Linux counts. */
function startOf(pid: number): string {
  try {
    // The command's name stands in parentheses, and may hold any characters.
    const [, fields = ''] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return fields.split(' ')[19] ?? UNKNOWN
  } catch {
    return UNKNOWN
  }
}

/** When this process started, in ms since the epoch, and no later than that: clocks are set. */
function ownStart(): number {
  return Date.now() - process.uptime() * 1000 - 1000
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
