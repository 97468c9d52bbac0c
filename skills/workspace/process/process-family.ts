import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/** The variable that marks the processes of one command, which inherit it. */
export const MARK_VARIABLE = 'AGENT_APPS_COMMAND'

/**
 * The processes that a command started: those of its group, and on Linux also those that left the group but
 * have its mark in their environment. Other systems do not show the environment of a process.
 */
export class ProcessFamily {
  /** Processes known not to belong to it, each by id and start time, so that they are looked at once. */
  private readonly others = new Set<string>()

  /**
   * @param group the process that began it, which leads its group
   * @param mark the value of `MARK_VARIABLE` in its environment
   */
  constructor(
    readonly group: number,
    private readonly mark: string,
  ) {}

  /** The processes that still run. Where only a group can be asked, its leader's id stands for all of it. */
  alive(): number[] {
    if (process.platform !== 'linux') return this.groupAlive()
    return processIds().filter(id => this.isMember(id))
  }

  /** The processes that still run and did not leave the group. */
  groupAlive(): number[] {
    if (!isThere(-this.group)) return []
    if (process.platform !== 'linux') return [this.group]
    return processIds().filter(id => statusOf(id)?.group === this.group)
  }

  /** Sends a signal to the whole group at once, and to each of the processes that left it. */
  send(signal: NodeJS.Signals, processes: readonly number[]): void {
    kill(-this.group, signal)
    for (const id of processes) if (statusOf(id)?.group !== this.group) kill(id, signal)
  }

  private isMember(id: number): boolean {
    const status = statusOf(id)
    if (status === null) return false
    if (status.group === this.group) return true
    const key = `${id} ${status.started}`
    if (this.others.has(key)) return false
    const environment = environmentOf(id)
    if (environment?.includes(`\0${MARK_VARIABLE}=${this.mark}\0`)) return true
    // While a process starts or ends, its environment is empty.
    if (environment !== '\0') this.others.add(key)
    return false
  }
}

function processIds(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger)
}

/** The group and the start time of a process; null for one that has ended, be it waited for or not. */
function statusOf(id: number): { group: number; started: string } | null {
  const text = readUnlessGone(`/proc/${id}/stat`)
  // The name of the program stands in brackets and may have any character.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? []
  const [state = 'X', , group] = fields
  return /[ZXx]/.test(state) ? null : { group: Number(group), started: fields[19] ?? '' }
}

/** Its variables, each between two NUL; null where they may not be read. */
function environmentOf(id: number): string | null {
  const text = readUnlessGone(`/proc/${id}/environ`)
  return text === null ? null : `\0${text}`
}

/** The text of a file of the process table; null where it is not there any more, or another user's. */
function readUnlessGone(file: string): string | null {
  try {
    return readFileSync(file, 'latin1')
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(codeOf(error))) return null
    throw error
  }
}

/** True where there is such a process, or with a negative id such a group, ended ones included. */
function isThere(id: number): boolean {
  return kill(id, 0)
}

/** Sends a signal; false where there is nobody to get it. */
function kill(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(id, signal)
    return true
  } catch (error) {
    // A process of another user is there, and this one cannot end it.
    if (codeOf(error) === 'EPERM') return true
    if (codeOf(error) === 'ESRCH') return false
    throw error
  }
}

function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code)
}

/** How long processes have to end after they were asked to, in ms. */
const GRACE_MS = 2000
/** How long processes may take to be gone once they were killed, in ms: those that wait for a device take longer. */
const GONE_MS = 3000

/**
 * Ends processes: asks each of them once (TERM), and kills those that are left after `GRACE_MS`.
 *
 * @param alive which of the family are to end, those that still run
 * @returns the ids of those that could not be ended
 */
export async function endFamily(
  family: ProcessFamily,
  alive: () => number[] = () => family.alive(),
): Promise<number[]> {
  const begun = performance.now()
  const asked = new Set<number>()
  for (;;) {
    const left = alive()
    const elapsed = performance.now() - begun
    if (left.length === 0 || elapsed > GRACE_MS + GONE_MS) return left
    if (elapsed >= GRACE_MS) family.send('SIGKILL', left)
    else ask(family, left, asked)
    await wait(elapsed < 100 ? 5 : 50)
  }
}

/** Asks those that were not asked yet; a process that is stopped goes on, so that it can end. */
function ask(family: ProcessFamily, left: readonly number[], asked: Set<number>): void {
  const unasked = left.filter(id => !asked.has(id))
  if (unasked.length === 0) return
  family.send('SIGTERM', unasked)
  family.send('SIGCONT', unasked)
  for (const id of unasked) asked.add(id)
}

/** The families of this process that may still run. */
const running = new Set<ProcessFamily>()

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Ends a family with this process, for as long as it runs: a command is in a group of its own, so that what
 * ends this process does not reach it.
 *
 * @returns a function to call once the family has ended
 */
export function endWithProcess(family: ProcessFamily): () => void {
  if (running.size === 0) listen()
  running.add(family)
  return () => {
    if (running.delete(family) && running.size === 0) unlisten()
  }
}

function listen(): void {
  process.on('exit', killAll)
  for (const signal of SIGNALS) process.on(signal, onSignal)
}

function unlisten(): void {
  process.off('exit', killAll)
  for (const signal of SIGNALS) process.off(signal, onSignal)
}

/** Ends this process on a signal that has no other listener, as it would have ended without us. */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return
  killAll()
  unlisten()
  process.kill(process.pid, signal)
}

function killAll(): void {
  for (const family of running) family.send('SIGKILL', family.alive())
}
