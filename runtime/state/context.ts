import type { JsonObject } from '../../src/base/json.js'
import type { HookTrigger } from '../../src/skill/hooks.js'
import type { Chain, ChainStep } from './chain.js'
import type { Progress } from './events.js'
import type { Globals, RuntimeConfig } from './globals.js'
import type { Origin, ToolDef } from './tool-def.js'

/** Who chose a call: an author's own program, or a model. */
export type CallerKind = 'code' | 'agent'

/** What a host says of a call. What that one calls has the same, but for `callId`. */
export interface CallIds {
  /** Calls that share it belong together: what is kept for a session is kept by it. */
  sessionId?: string | undefined
  /** The message that the call belongs to. */
  messageId?: string | undefined
  /** The host's own name for this call. */
  callId?: string | undefined
  agentId?: string | undefined
  userId?: string | undefined
  workspaceId?: string | undefined
}

/** What a caller says of one call, beside its arguments. */
export interface InvokeOptions extends CallIds {
  /** Ends the call: nothing more of it is started. */
  signal?: AbortSignal | undefined
  /** Default `code`. */
  as?: CallerKind | undefined
  /** What the caller shares with all that it calls. */
  nonlocals?: Record<string, unknown> | undefined
  /** What the agent may do that this is called for, and those that it starts. */
  policy?: AgentPolicy | undefined
}

/** What a tool is called with, beside its arguments. `Args` is what its author knows of them. */
export interface Context<Args = unknown> {
  /** The invocation's arguments, validated; undefined for a middleware, which is given its configuration. */
  readonly args: Args
  readonly run: Run
  readonly locals: Locals
  /** What a caller shares with all that it calls: each sees its caller's, and what it writes stays below. */
  readonly nonlocals: Record<string, unknown>
  readonly globals: Globals
  readonly envelope: Envelope
  readonly manager: Manager
}

/** A context as the runtime's own code sees it. */
export interface CallContext extends Context {
  readonly chain: Chain | undefined
  /** Throws once the call was aborted, so that nothing more is started for it. */
  mustGoOn: () => void
}

/** One running of a tool. */
export interface Run {
  readonly id: string
  readonly tool: RunningTool
  /** What runs around the tool; for a middleware, the chain that it stands in. */
  readonly chain: readonly ChainStep[]
  /** The place in `chain` of what runs now, or for a middleware its own; past its end where that is the tool. */
  readonly index: number
  /** For a middleware that runs as a hook: what set it off, and the name of what it wraps. */
  readonly hook: { trigger: HookTrigger; target: string } | undefined
  /** Ends when the call is no longer wanted. Setting one narrows it, for what is started further in. */
  signal: AbortSignal
  readonly origin: Origin
  /** Tells the host how far it is. */
  readonly update: (progress: Progress) => void
}

/** The tool that a run is of. */
export interface RunningTool {
  readonly name: string
  readonly def: ToolDef
  /** The schemas in use, once they are resolved. */
  params?: JsonObject
  returns?: JsonObject
}

/** What belongs to one invocation. */
export interface Locals extends Record<string, unknown> {
  /** The result so far. */
  result: unknown
  /** What of the configuration is another one for this invocation. */
  config: Partial<RuntimeConfig> & Record<string, unknown>
}

/** Whose invocation it is. */
export interface Envelope extends Readonly<CallIds> {
  /** The context that a middleware serves; for a tool its own. */
  readonly target: Context
  /** Undefined where a host called. */
  readonly caller: Context | undefined
  /** How many callers there are. */
  readonly depth: number
  readonly as: CallerKind
}

/** What a tool may ask for. */
export interface Manager {
  /**
   * Runs all that is further in, and gives the result so far.
   *
   * @throws NEXT_TWICE at a second call, but after one that failed: that tries again; and after the middleware has ended
   */
  readonly next: () => Promise<unknown>
  /** Calls another tool. */
  readonly invoke: (ref: string, args?: unknown, options?: InvokeOptions) => Promise<unknown>
}

/** What an agent may do. */
export interface AgentPolicy {
  /** Patterns of the tools that it may call, as in a skill's `allowed-tools`. Absent: all. */
  allowedTools?: string | readonly string[] | undefined
}
