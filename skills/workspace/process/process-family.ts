import { readdirSync, readFileSync } from 'node:fs'

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
