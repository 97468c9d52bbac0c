import { AgentAppsError } from '../base/error.js'

/**
 * What `execute` gets besides its arguments. If the tool is called without a runtime, everything except the
 * functions is undefined.
 */
export interface ToolContext {
  /** Aborts when the call is no longer wanted. */
  readonly signal: AbortSignal | undefined
  /** Reports progress to the host. */
  readonly update: (progress: { title?: string; metadata?: Record<string, unknown> }) => void
  /** Calls another tool. */
  readonly invoke: (ref: string, args?: unknown) => Promise<unknown>
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
  run?: Pick<ToolContext, 'signal' | 'update'> & { id: string }
  envelope?: Partial<
    Record<'callId' | 'sessionId' | 'messageId' | 'agentId' | 'userId' | 'workspaceId', string>
  >
  manager?: Pick<ToolContext, 'invoke'>
}

/** Where a tool's context keeps the runtime's, for the library's own tools. */
export const RUNTIME_CONTEXT = /* @__PURE__ */ Symbol.for('agent-apps.context')

/**
 * Each field is read from the runtime's context when it is accessed: most tools access one of them, or none.
 */
export function toolContextOf(context: unknown): ToolContext {
  const ctx = (context ?? {}) as CallContext
  const tool = {
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
  return Object.defineProperty(tool, RUNTIME_CONTEXT, { value: context })
}

function unavailable(): never {
  throw new AgentAppsError(
    'CONTEXT_MISSING',
    'This tool was called without a runtime, so it can call no other.',
    { hint: 'Call it through `invoke`.' },
  )
}
