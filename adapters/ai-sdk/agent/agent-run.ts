import type { AgentAppsError } from 'agent-apps'

/** An agent's run, as its steps read and write it. The library's tool `agent` implements it. */
export interface AgentRun {
  /** With `step`, distinguishes its calls from those of other runs and steps, since models reuse ids. */
  readonly id: string
  /** The number of steps that have ended. */
  readonly step: number
  /** Aborts when the run is cancelled or has taken too long. */
  readonly signal: AbortSignal
  /** The number of steps after which it ends. */
  readonly maxSteps: number
  /** The tokens that it, and every agent above it, may still use. */
  readonly tokensLeft: number
  /** The ending that one of its calls chose. */
  readonly ending: { readonly result: unknown } | { readonly error: AgentAppsError } | null
  /** Ends it with a result after this step, unless it has ended. */
  readonly finish: (result: unknown) => void
  /** Records that a call of this step opened a skill or one of its files. */
  readonly noteOpened: (callId: string, skill: string, path?: string) => void
  /** The text shown in place of a step's result; undefined for the result itself. */
  readonly shownInstead: (step: number, callId: string) => string | undefined
  /** Counts a step and reports it to the host. */
  readonly endStep: (step: AgentStep) => void
  /** Throws if it may not continue: RUN_ABORTED, AGENT_LIMIT. */
  readonly throwIfOver: () => void
  /** The error for a model that ended without a result. */
  readonly unfinished: (why: 'steps' | 'cut' | 'refused') => AgentAppsError
}

/** One step of a model: a request and its answer. */
export interface AgentStep {
  /** The text that the model wrote. */
  text: string
  /** The names of the tools that it called, as the model knows them. */
  calls: readonly string[]
  /** The tokens that it read and wrote. */
  tokens: number
}
