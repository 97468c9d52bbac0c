import { AgentAppsError } from '../../src/base/error.js'

/** How far a compile is, in skill files. */
export interface Progress {
  /** Skill files read so far, over all directories. */
  done: number
  /** Skill files found so far. */
  total: number
}

/** The stages of a compile. */
export type StageName = 'walk' | 'read' | 'modules' | 'link' | 'resolve' | 'contents' | 'emit' | 'bundle'

/**
 * Receives every place that decides what a compile makes, before the compile looks there, so that watching
 * the place from then on misses no change. Files that code imports and contents include are known only once
 * they are read; they come before anything is written. All paths are absolute.
 */
export interface WatchSink {
  /** Receives a directory whose files count. */
  directory: (path: string) => void
  /** Receives one file or directory; it need not exist. */
  path: (path: string) => void
}

/** A way to end a compile early. */
export interface Interruption {
  signal?: AbortSignal | undefined
}

/** What all directories of one compile share. */
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
