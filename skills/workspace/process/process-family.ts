import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/** The variable that marks the processes of a command, which inherit it. */
export const MARK_VARIABLE = 'AGENT_APPS_COMMAND'

/**
 * The processes of a command: those of its group, and on Linux also those that left the group but have its mark in their
 * environment. Other systems do not expose the environment of a process.
 */
export class ProcessFamily {
  /** Processes that do not belong to it, by id and start time, so that each is checked once. */
  private readonly others = new Set<string>()

  /**
   * @param group the first process, which leads the group
   * @param mark the value of `MARK_VARIABLE` in its environment
   */
  constructor(
    readonly group: number,
    private readonly mark: string,
  ) {}

  /** The running processes. Outside Linux, the leader's id stands for the whole group. */
  alive(): number[] {
    if (process.platform !== 'linux') return this.groupAlive()
    return processIds().filter(id => this.isMember(id))
  }

  /** The running processes of the group. */
  groupAlive(): number[] {
    if (!isThere(-this.group)) return []
    if (process.platform !== 'linux') return [this.group]
    return processIds().filter(id => statusOf(id)?.group === this.group)
  }

  /** Sends a signal to the group at once, and to each process that left it. */
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

/** The group and start time of a process; null for an ended one, including zombies. */
function statusOf(id: number): { group: number; started: string } | null {
  const text = readUnlessGone(`/proc/${id}/stat`)
  // The name of the program, in brackets, may contain any character.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? []
  const [state = 'X', , group] = fields
  return /[ZXx]/.test(state) ? null : { group: Number(group), started: fields[19] ?? '' }
}

/** The variables of a process, each between two NUL; null if they cannot be read. */
function environmentOf(id: number): string | null {
  const text = readUnlessGone(`/proc/${id}/environ`)
  return text === null ? null : `\0${text}`
}

/** The text of a file of the process table; null if the process is gone or another user's. */
function readUnlessGone(file: string): string | null {
  try {
    return readFileSync(file, 'latin1')
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(codeOf(error))) return null
    throw error
  }
}

/** True if a process exists, or with a negative id a group, including ended ones. */
function isThere(id: number): boolean {
  return kill(id, 0)
}

/** Sends a signal; false if there is no such process. */
function kill(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(id, signal)
    return true
  } catch (error) {
    // It belongs to another user.
    if (codeOf(error) === 'EPERM') return true
    if (codeOf(error) === 'ESRCH') return false
    throw error
  }
}

function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code)
}

/** The time for processes to end after TERM, in ms. */
const GRACE_MS = 2000
/** The time to wait for killed processes, in ms. Those that wait for a device take longer. */
const GONE_MS = 3000

/**
 * Ends processes: sends TERM once to each of them, and kills those that are left after `GRACE_MS`.
 *
 * @param alive returns the running processes to end
 * @returns the ids of processes that could not be ended
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

/** Sends TERM to processes that did not get it yet, and continues stopped ones, so that they can end. */
function ask(family: ProcessFamily, left: readonly number[], asked: Set<number>): void {
  const unasked = left.filter(id => !asked.has(id))
  if (unasked.length === 0) return
  family.send('SIGTERM', unasked)
  family.send('SIGCONT', unasked)
  for (const id of unasked) asked.add(id)
}

/** A command; without a family until its first process has started. */
export interface StartedCommand {
  family?: ProcessFamily
}

/** The commands that may still run. */
const running = new Set<StartedCommand>()

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Ends a command with this process. A command has a group of its own, which signals to this process do not reach. Call
 * it before the command starts: a signal may come as soon as it has.
 *
 * @returns a function to call once the command has ended
 */
export function endWithProcess(command: StartedCommand): () => void {
  if (running.size === 0) listen('on')
  running.add(command)
  return () => {
    if (running.delete(command) && running.size === 0) listen('off')
  }
}

function listen(change: 'on' | 'off'): void {
  process[change]('exit', killAll)
  for (const signal of SIGNALS) process[change](signal, onSignal)
}

/** Ends this process on a signal without other listeners, as the default handler would. */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return
  killAll()
  listen('off')
  process.kill(process.pid, signal)
}

function killAll(): void {
  for (const { family } of running) family?.send('SIGKILL', family.alive())
}
