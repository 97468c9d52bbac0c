import { type Interruption, throwIfAborted } from './job.js'

/** A step of a pipeline. It takes what the steps before it made, and returns what it adds to that. */
export interface Stage<In, Out> {
  name: string
  run: (input: In) => Out | Promise<Out>
}

/** What watches over the stages of a pipeline. */
export interface StageRun extends Interruption {
  /** Milliseconds spent in each stage, by its name. */
  timings?: Record<string, number>
}

/**
 * Runs the stages of a pipeline in order.
 *
 * @param input what the first stage takes; what each stage returns is added to it for those after
 * @returns the input with everything that was added
 * @throws COMPILE_ABORTED, and what the stages throw
 */
export async function runStages<
  In extends object,
  A extends object,
  B extends object = object,
  C extends object = object,
  D extends object = object,
  E extends object = object,
  F extends object = object,
>(
  stages: readonly [
    Stage<In, A>,
    Stage<NoInfer<In & A>, B>?,
    Stage<NoInfer<In & A & B>, C>?,
    Stage<NoInfer<In & A & B & C>, D>?,
    Stage<NoInfer<In & A & B & C & D>, E>?,
    Stage<NoInfer<In & A & B & C & D & E>, F>?,
  ],
  input: In,
  run: StageRun = {},
): Promise<In & A & B & C & D & E & F> {
  let made: object = input
  for (const stage of stages as readonly Stage<never, object>[])
    made = { ...made, ...(await timed(stage, made as never, run)) }
  return made as In & A & B & C & D & E & F
}

async function timed<In, Out>(
  { name, run }: Stage<In, Out>,
  input: In,
  { timings, signal }: StageRun,
): Promise<Out> {
  throwIfAborted({ signal })
  const started = performance.now()
  try {
    return await run(input)
  } finally {
    if (timings) timings[name] = (timings[name] ?? 0) + performance.now() - started
  }
}
