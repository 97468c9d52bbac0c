import { AgentAppsError } from '../../src/base/error.js'

/** A step of a pipeline. It takes the results of the steps before it, and adds its own. */
export interface Stage<In, Out> {
  name: string
  run: (input: In) => Out | Promise<Out>
  /** False for an input that leaves the stage nothing to do; `idle` is then its result. Default: true. */
  when?: (input: In) => boolean
  idle?: (input: In) => Out
}

interface StageRun extends Interruption {
  /** Milliseconds spent in each stage, by its name. */
  timings?: Record<string, number>
}

/**
 * Runs the stages of a pipeline in order.
 *
 * @param input the first stage's input; each stage's result is added to it for the stages after
 * @returns the input with everything that was added
 * @throws COMPILE_ABORTED, and the errors of the stages
 */
export async function runStages<
  In extends object,
  A extends object,
  B extends object = object,
  C extends object = object,
  D extends object = object,
  E extends object = object,
  F extends object = object,
  G extends object = object,
  H extends object = object,
>(
  stages: readonly [
    Stage<In, A>,
    Stage<NoInfer<In & A>, B>?,
    Stage<NoInfer<In & A & B>, C>?,
    Stage<NoInfer<In & A & B & C>, D>?,
    Stage<NoInfer<In & A & B & C & D>, E>?,
    Stage<NoInfer<In & A & B & C & D & E>, F>?,
    Stage<NoInfer<In & A & B & C & D & E & F>, G>?,
    Stage<NoInfer<In & A & B & C & D & E & F & G>, H>?,
  ],
  input: In,
  run: StageRun = {},
): Promise<In & A & B & C & D & E & F & G & H> {
  let made: object = input
  for (const stage of stages as readonly Stage<never, object>[])
    made = { ...made, ...(await timed(stage, made as never, run)) }
  return made as In & A & B & C & D & E & F & G & H
}

async function timed<In, Out>(
  { name, run, when, idle }: Stage<In, Out>,
  input: In,
  { timings, signal }: StageRun,
): Promise<Out> {
  throwIfAborted({ signal })
  const started = performance.now()
  try {
    return idle && when?.(input) === false ? idle(input) : await run(input)
  } finally {
    if (timings) timings[name] = (timings[name] ?? 0) + performance.now() - started
  }
}

/** How far a compile is, in skill files. */
export interface Progress {
  /** Skill files read so far, over all directories. */
  done: number
  /** Skill files found so far. */
  total: number
}

export type StageName = 'walk' | 'read' | 'modules' | 'link' | 'resolve' | 'contents' | 'emit' | 'bundle'

/**
 * Receives every path that the result of a compile depends on, before the compile looks there, so that watching
 * the place from then on misses no change. Files that code imports and contents include are known only once
 * they are read; they come before anything is written. All paths are absolute.
 */
export interface WatchSink {
  /** Receives a directory whose files count. */
  directory: (path: string) => void
  /** Receives one file or directory; it need not exist. */
  path: (path: string) => void
}

interface Interruption {
  signal?: AbortSignal | undefined
}

/** The state that all directories of one compile share. */
export interface Job extends Progress, Interruption {
  force?: boolean | undefined
  check?: boolean | undefined
  onProgress?: ((progress: Progress) => void) | undefined
  watchSink?: WatchSink | undefined
  /** Files written, as shown paths. */
  written: Set<string>
  /** Milliseconds. */
  timings: Record<StageName, number>
}

/** @throws COMPILE_ABORTED */
export function throwIfAborted({ signal }: Interruption): void {
  if (!signal?.aborted) return
  throw new AgentAppsError('COMPILE_ABORTED', 'The compile was aborted.', {
    hint: 'Run it again. The indexes not yet written are as they were.',
    cause: signal.reason,
  })
}
