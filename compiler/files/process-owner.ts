import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { orNull } from '../../src/base/attempt.js'

/** The time in ms after which a process of another machine counts as gone, since it cannot be looked up. */
const FOREIGN_AGE = 600_000

/**
 * Names this process to other processes, also those of other machines: `<number> <host> <time> <start>`. The
 * time is written down, since a file from a checkout has the checkout's time. The start distinguishes
 * processes with the same number, as in a restarted container.
 */
export function processOwner(): string {
  return `${process.pid} ${hostname()} ${Date.now()} ${startOf(process.pid)}`
}

/** True for a string that `processOwner` gave. The start may be missing. */
export function isOwner(text: string): boolean {
  return /^[1-9]\d* \S+ \d+(?: \d+)?$/.test(text)
}

/** True where the process that `processOwner` named is gone. */
export function isOwnerGone(owner: string): boolean {
  const [pid, , madeAt, start = UNKNOWN] = owner.split(' ')
  if (isOwnerHere(owner)) {
    // This process's own files have its start.
    if (Number(pid) === process.pid) return start !== startOf(process.pid) || Number(madeAt) < ownStart()
    return !isRunning(Number(pid)) || (/^[1-9]\d*$/.test(start) && start !== startOf(Number(pid)))
  }
  return Date.now() - Number(madeAt) > FOREIGN_AGE
}

/** True for a process of this machine, which can be looked up. */
export function isOwnerHere(owner: string): boolean {
  return owner.split(' ')[1] === hostname()
}

/** The start of a process that the system or the owner did not state. */
const UNKNOWN = '0'

/** The start of a process of this machine, in the ticks of `/proc`. */
function startOf(pid: number): string {
  const stat = orNull(() => readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? ''
  // The command's name is in parentheses, and may contain any characters.
  return stat.slice(stat.lastIndexOf(') ') + 2).split(' ')[19] ?? UNKNOWN
}

/** A time, in ms since the epoch, before this process started. A second is left for clocks that are set. */
function ownStart(): number {
  return Date.now() - process.uptime() * 1000 - 1000
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
