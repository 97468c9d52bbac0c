import type { AgentAppsError } from 'agent-apps'

/** What the steps of an agent are told of its run, and tell it. The library's tool `agent` has it. */
export interface AgentRun {
  /** Tells the calls of this run from those of others, as models choose the same ids again. */
  readonly id: string
  /** Aborts once the run is no longer wanted, or has taken too long. */
  readonly signal: AbortSignal
  readonly maxSteps: number
  /** The tokens that it, and every agent above it, may still use. */
  readonly tokensLeft: number
  /** How one of its calls ended it. */
  readonly ending: { readonly result: unknown } | { readonly error: AgentAppsError } | null
  /** Ends it after this step with a result, unless it has been ended. */
  readonly finish: (result: unknown) => void
  /** Notes that a call opened a skill or one of its files. */
  readonly noteOpened: (callId: string, skill: string, path?: string) => void
  /** What is to be shown of an earlier call in place of its result; undefined for the result itself. */
  readonly shownInstead: (callId: string) => string | undefined
  /** Counts a step and tells the host of it. */
  readonly endStep: (step: AgentStep) => void
  /** Throws where it may go no further: RUN_ABORTED, AGENT_LIMIT. */
  readonly mustGoOn: () => void
  /** The error for a model that ended without what it was asked for. */
  readonly unfinished: (why: 'steps' | 'cut' | 'refused') => AgentAppsError
}

/** One answer of the model. */
export interface AgentStep {
  text: string
  /** The names of the tools that it called, as the model knows them. */
  calls: readonly string[]
  /** The tokens that it read and wrote. */
  tokens: number
}
