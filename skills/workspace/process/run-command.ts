import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { endFamily } from './end-family.js'
import { MARK_VARIABLE, ProcessFamily } from './process-family.js'
import { readOutput } from './read-output.js'
import { endWithProcess } from './running-families.js'

export interface Command {
  /** The program and its arguments. */
  argv: readonly string[]
  cwd: string
  environment: NodeJS.ProcessEnv
  timeoutMs: number
  signal: AbortSignal | undefined
  /** Takes the next part of the output. Nothing more is read until it has. */
  take: (part: Buffer) => Promise<void>
}

export interface EndedCommand {
  /** Null where a signal ended it. */
  exitCode: number | null
  signal: NodeJS.Signals | null
  durationMs: number
  /** True where it did not end in time. */
  isLate: boolean
  /** The ids of processes that could not be ended. */
  left: number[]
}

/** How long an aborted call waits for its processes, in ms. Those that take longer are ended after it. */
const ABORT_MS = 100

/**
 * Runs a command to its end. What it left running in its group ends with it. A timeout or an abort ends all of
 * its processes.
 *
 * @throws the signal's reason, and what starting it or taking its output throws
 */
export async function runCommand(command: Command): Promise<EndedCommand> {
  const started = performance.now()
  command.signal?.throwIfAborted()
  const { child, family, exited } = await start(command)
  const forget = endWithProcess(family)
  const stops = stopsOf(command)
  const output = readOutput(child.stdout, command.take)
  const unlessStopped = <Value>(promise: Promise<Value>): Promise<Value> =>
    Promise.race([promise, stops.aborted, output.failed])
  try {
    const isLate = await unlessStopped(Promise.race([exited.then(() => false), stops.late]))
    const left = await unlessStopped(endFamily(family, isLate ? undefined : () => family.groupAlive()))
    if (left.length === 0) await unlessStopped(exited)
    await unlessStopped(output.end())
    forget()
    const { exitCode, signalCode: signal } = child
    return { exitCode, signal, durationMs: Math.round(performance.now() - started), isLate, left }
  } catch (error) {
    const ended = endFamily(family).finally(forget)
    await Promise.race([ended, wait(ABORT_MS)])
    throw error
  } finally {
    stops.clear()
    child.stdout.destroy()
  }
}

/** Both outputs are one pipe, so that they come in the order in which they were written. */
const JOINED = ['-c', 'exec "$@" 2>&1', 'sh']

async function start({ argv, cwd, environment }: Command) {
  const mark = randomUUID()
  const child = spawn('/bin/sh', [...JOINED, ...argv], {
    cwd,
    env: { ...environment, [MARK_VARIABLE]: mark },
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const exited = once(child, 'exit')
  // Without a process, this throws why.
  if (child.pid === undefined) await exited
  return { child, family: new ProcessFamily(child.pid as ProcessId, mark), exited }
}

type ProcessId = NonNullable<ChildProcess['pid']>

/** The reasons to end a command before it ends by itself. */
function stopsOf({ timeoutMs, signal }: Command) {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<true>(resolve => {
    timer = setTimeout(() => resolve(true), timeoutMs)
  })
  // Of its own, as Node warns of many listeners: a host may give one signal to many calls.
  const own = signal && AbortSignal.any([signal])
  const aborted = new Promise<never>((_, reject) => {
    own?.addEventListener('abort', () => reject(own.reason))
    // It may have come while the command was being started.
    if (own?.aborted) reject(own.reason)
  })
  // Where nobody waits for it any more, an abort is not a failure.
  aborted.catch(() => {})
  return { late, aborted, clear: () => clearTimeout(timer) }
}
