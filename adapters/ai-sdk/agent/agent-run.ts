import type { AgentAppsError } from 'agent-apps'

/** The record of an agent's run that its steps read and write. The library's tool `agent` has it. */
export interface AgentRun {
  /** With `step`, tells its calls from those of other runs and steps, as models choose the same ids again. */
  readonly id: string
  /** How many steps have ended. */
  readonly step: number
  /** Aborts when the run is cancelled or has taken too long. */
  readonly signal: AbortSignal
  readonly maxSteps: number
  /** The tokens that it, and every agent above it, may still use. */
  readonly tokensLeft: number
  /** How one of its calls ended it. */
  readonly ending: { readonly result: unknown } | { readonly error: AgentAppsError } | null
  /** Ends it after this step with a result, unless it has been ended. */
  readonly finish: (result: unknown) => void
  /** Notes that a call of this step opened a skill or one of its files. */
  readonly noteOpened: (callId: string, skill: string, path?: string) => void
  /** The text shown in place of a step's result; undefined for the result itself. */
  readonly shownInstead: (step: number, callId: string) => string | undefined
  /** Counts a step and tells the host of it. */
  readonly endStep: (step: AgentStep) => void
  /** Throws if it may not continue: RUN_ABORTED, AGENT_LIMIT. */
  readonly throwIfOver: () => void
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
