import { AgentAppsError } from '../base/error.js'
import type { Permission } from '../base/permissions.js'
import type { ToolFrontmatter, ToolKind } from './frontmatter.js'

/** The limits of an agent that is spawned. They narrow what it could do anyway: rules may only ask or deny. */
export interface SpawnPolicy {
  /** If it is not empty, the only tools that it may call. */
  allow?: string | readonly string[] | undefined
  /** Tools that it may not call. */
  deny?: string | readonly string[] | undefined
  /** What the tools that it calls may do, as far as they may anyway. */
  permissions?: readonly Permission[] | undefined
  /** Rules over calls that ask or deny. */
  rules?: string | readonly string[] | undefined
}

/** A tool as an agent that was spawned sees it. */
export interface SpawnedTool {
  name: string
  label: string
  kind: ToolKind
  frontmatter: ToolFrontmatter
}

/** An agent that a tool spawned, as the tool's author knows it: `AgentRuntime` has all of it. */
export interface SpawnedAgent {
  findTool: (ref: string) => Promise<SpawnedTool | null>
  listTools: () => Promise<SpawnedTool[]>
  invoke: (ref: string, args?: unknown) => Promise<unknown>
  spawn: (policy: SpawnPolicy) => SpawnedAgent
}

/**
 * What `execute` gets besides its arguments. If the tool is called without a runtime, everything except the
 * functions is undefined.
 */
export interface ToolContext {
  /** Aborts when the call is no longer wanted. */
  readonly signal: AbortSignal | undefined
  /** Reports progress to the host. */
  readonly update: (progress: {
    title?: string
    metadata?: Record<string, unknown>
    /** How much is done, of `total`. */
    progress?: number
    total?: number
  }) => void
  /** Calls another tool. */
  readonly invoke: (ref: string, args?: unknown) => Promise<unknown>
  /**
   * Starts an agent below this call. All that limits the agents above limits it too, and it shares their
   * session.
   */
  readonly spawn: (policy: SpawnPolicy) => SpawnedAgent
  /** The optional permissions of the tool that it has for this call. */
  readonly granted: readonly Permission[] | undefined
  /** What the tool's `init` returned, if it has one. */
  readonly instance: unknown
  /** The host's name for this call, or a generated one. */
  readonly callId: string | undefined
  /** What the host passed with the call, if anything. */
  readonly sessionId: string | undefined
  readonly messageId: string | undefined
  readonly agentId: string | undefined
  readonly userId: string | undefined
  readonly workspaceId: string | undefined
  /** Other names of `signal`, `update`, `sessionId`, `messageId`, `callId` and `agentId`. */
  readonly abort: AbortSignal | undefined
  readonly metadata: ToolContext['update']
  readonly sessionID: string | undefined
  readonly messageID: string | undefined
  readonly callID: string | undefined
  readonly agent: string | undefined
}

/** The part of a runtime's context that is passed on. */
export interface CallContext {
  /** Throws if the call is over, so that nothing more of it starts. */
  mustGoOn?: () => void
  run?: Pick<ToolContext, 'signal' | 'update' | 'granted'> & { id: string }
  envelope?: Partial<
    Record<'callId' | 'sessionId' | 'messageId' | 'agentId' | 'userId' | 'workspaceId', string>
  >
  manager?: Pick<ToolContext, 'invoke' | 'spawn'>
  /** Runs the tool of a function with hooks, once it is initialised. `run` gets what `init` returned. */
  withHooks?: (fn: object, run: (instance: unknown) => Promise<unknown>) => Promise<unknown>
}

/** Where a tool's context keeps the runtime's, for the library's own tools. */
export const RUNTIME_CONTEXT: unique symbol = /* @__PURE__ */ Symbol.for('agent-apps.context')

/**
 * Each field is read from the runtime's context when it is accessed: most tools access one of them, or none.
 */
export function toolContextOf(
  context: unknown,
  instance?: unknown,
): ToolContext & { readonly [RUNTIME_CONTEXT]: unknown } {
  const ctx = (context ?? {}) as CallContext
  return {
    [RUNTIME_CONTEXT]: context,
    instance,
    get signal() {
      return ctx.run?.signal
    },
    get abort() {
      return ctx.run?.signal
    },
    get update() {
      return ctx.run?.update ?? (() => {})
    },
    get metadata() {
      return ctx.run?.update ?? (() => {})
    },
    get invoke() {
      return ctx.manager?.invoke ?? unavailable
    },
    get spawn() {
      return ctx.manager?.spawn ?? unavailable
    },
    get granted() {
      return ctx.run?.granted
    },
    get callId() {
      return ctx.envelope?.callId ?? ctx.run?.id
    },
    get callID() {
      return ctx.envelope?.callId ?? ctx.run?.id
    },
    get sessionId() {
      return ctx.envelope?.sessionId
    },
    get sessionID() {
      return ctx.envelope?.sessionId
    },
    get messageId() {
      return ctx.envelope?.messageId
    },
    get messageID() {
      return ctx.envelope?.messageId
    },
    get agentId() {
      return ctx.envelope?.agentId
    },
    get agent() {
      return ctx.envelope?.agentId
    },
    get userId() {
      return ctx.envelope?.userId
    },
    get workspaceId() {
      return ctx.envelope?.workspaceId
    },
  }
}

function unavailable(): never {
  throw new AgentAppsError(
    'CONTEXT_MISSING',
    'This tool was called without a runtime, so it can call no other.',
    { hint: 'Call it through `invoke`.' },
  )
}
