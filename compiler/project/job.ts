import { AgentAppsError } from '../../src/base/error.js'

/** How far a compile is, in skill files. */
export interface Progress {
  /** Skill files read so far, over all directories. */
  done: number
  /** Skill files found so far. */
  total: number
}

export type Stage = 'walk' | 'read' | 'modules' | 'link' | 'resolve' | 'contents' | 'emit' | 'bundle'

/**
 * Told where a compile looks, before it does, so that who watches there from then on misses no change. What code
 * imports and contents include is known only when it was read, so it is told then, before anything is written. All
 * paths are absolute.
 */
export interface Looks {
  /** A directory whose files count. */
  directory: (path: string) => void
  /** One file or directory; it need not be there. */
  path: (path: string) => void
}

/** What all directories of one compile share. */
export interface Job extends Progress {
  force?: boolean | undefined
  check?: boolean | undefined
  signal?: AbortSignal | undefined
  onProgress?: ((progress: Progress) => void) | undefined
  looks?: Looks | undefined
  /** Files written, as shown paths. */
  written: Set<string>
  /** Milliseconds. */
  timings: Record<Stage, number>
}

export async function timed<Result>(
  { timings }: Job,
  stage: Stage,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const started = performance.now()
  try {
    return await work()
  } finally {
    timings[stage] += performance.now() - started
  }
}

/** @throws COMPILE_ABORTED */
export function throwIfAborted({ signal }: Job): void {
  if (!signal?.aborted) return
  throw new AgentAppsError('COMPILE_ABORTED', 'The compile was aborted.', {
    hint: 'Run it again. The indexes not yet written are as they were.',
    cause: signal.reason,
  })
}
