import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { endFamily, endWithProcess, MARK_VARIABLE, ProcessFamily } from './process-family.js'

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

/** How long the rest is waited for once the command has ended, in ms: while none comes, and at most. */
const QUIET_MS = 250
const REST_MS = 2000

interface OutputReading {
  /** Never fulfilled; rejected with what taking a part throws. */
  failed: Promise<never>
  /** Reads what is still to be read. A process that goes on elsewhere may keep the pipe open. */
  end: () => Promise<void>
}

/** Hands on all parts of a stream, one after the other. */
function readOutput(stream: Readable, take: (part: Buffer) => Promise<void>): OutputReading {
  let last = 0
  let isBusy = false
  let isDone = false
  const reading = readAll().finally(() => {
    isDone = true
  })
  const failed = new Promise<never>((_, reject) => {
    reading.catch(reject)
  })
  // Where nobody waits for it any more, the command has ended for another reason.
  failed.catch(() => {})
  return { failed, end }

  async function readAll(): Promise<void> {
    try {
      for await (const part of stream) {
        isBusy = true
        await take(part)
        isBusy = false
        last = performance.now()
      }
    } catch (error) {
      // A stream that was closed early, not one whose part was not taken.
      if (isBusy || !stream.destroyed) throw error
    }
  }

  async function end(): Promise<void> {
    const begun = performance.now()
    const mayCome = (): boolean => {
      const now = performance.now()
      return now - begun < REST_MS && (isBusy || now - Math.max(begun, last) < QUIET_MS)
    }
    while (!isDone && mayCome()) await Promise.race([reading, wait(10)])
    stream.destroy()
    await reading
  }
}
