import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import {
  endFamily,
  endWithProcess,
  MARK_VARIABLE,
  ProcessFamily,
  type StartedCommand,
} from './process-family.js'

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
  /** Null if a signal ended it. */
  exitCode: number | null
  signal: NodeJS.Signals | null
  durationMs: number
  /** True if it did not end in time. */
  isLate: boolean
  /** The ids of processes that could not be ended. */
  left: number[]
}

/** The time that an aborted call waits for its processes, in ms. Others are ended after it. */
const ABORT_MS = 100

/**
 * Runs a command to its end, and then ends other processes of its group. A timeout or an abort ends all of its processes.
 *
 * @throws the signal's reason; errors of starting it and of `take`
 */
export async function runCommand(command: Command): Promise<EndedCommand> {
  const started = performance.now()
  command.signal?.throwIfAborted()
  const running: StartedCommand = {}
  const forget = endWithProcess(running)
  const { child, family, exited } = await start(command).catch((error: unknown) => {
    forget()
    throw error
  })
  running.family = family
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

/** Joins both outputs in one pipe, which keeps their order. */
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
  // Without a process, this throws the error.
  if (child.pid === undefined) await exited
  return { child, family: new ProcessFamily(child.pid as number, mark), exited }
}

/** The reasons to end a command before it ends by itself. */
function stopsOf({ timeoutMs, signal }: Command) {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<true>(resolve => {
    timer = setTimeout(() => resolve(true), timeoutMs)
  })
  // A signal of its own, since Node warns about many listeners, and a host may pass one signal to many calls.
  const own = signal && AbortSignal.any([signal])
  const aborted = new Promise<never>((_, reject) => {
    own?.addEventListener('abort', () => reject(own.reason))
    // It may have aborted during the start.
    if (own?.aborted) reject(own.reason)
  })
  // An abort after the end is not an unhandled rejection.
  aborted.catch(() => {})
  return { late, aborted, clear: () => clearTimeout(timer) }
}

/** The wait for more output after the command has ended, in ms: without any output, and in all. */
const QUIET_MS = 250
const REST_MS = 2000

interface OutputReading {
  /** Never fulfilled; rejected with an error of `take`. */
  failed: Promise<never>
  /** Reads the rest. A process that left the group may keep the pipe open. */
  end: () => Promise<void>
}

/** Passes all parts of a stream on, one after the other. */
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
  // A failure after the end is not an unhandled rejection.
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
      // Ignores a stream that was closed early.
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
