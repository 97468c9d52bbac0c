import { AgentAppsError } from '../src/error.js'
import type { HookTrigger } from '../src/hooks.js'
import type { JsonObject } from '../src/json.js'
import { whenThere } from '../src/thenable.js'
import type { AgentPolicy } from './agent-calls.js'
import type { Chain, ChainStep } from './chain.js'
import type { Progress } from './events.js'
import { freezeArguments } from './freeze-arguments.js'
import type { Globals, RuntimeConfig } from './globals.js'
import { lazy } from './lazy.js'
import { throwIfAborted } from './run-aborted.js'
import type { Origin, ToolDef } from './tool-def.js'

/** Tells listeners; loaded where there are some. */
export const observing = lazy(() => import('./observe.js'))

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

/** Runs a tool for another one. */
export type InvokeFor = (
  caller: RunContext,
  ref: string,
  args?: unknown,
  options?: InvokeOptions,
) => Promise<unknown>

/** An object as `Object.create(null)` gives it, but as fast as any: no key of it reaches a prototype. */
const Bag = function Bag() {} as unknown as new () => Record<string, unknown>
Bag.prototype = Object.freeze(Object.create(null))

function below(shared: Record<string, unknown> | undefined): Record<string, unknown> {
  return shared === undefined ? new Bag() : Object.create(shared)
}

/**
 * The context of a tool, or of a middleware. A call with ten middlewares makes eleven of them: what a tool may never
 * look at is made when it is read. The fields that `Context` does not name are the runtime's own.
 */
export class RunContext implements Context {
  private ownArgs: unknown = undefined
  private hasArguments = false
  chain: Chain | undefined = undefined
  /** What of the chain runs now; undefined: the tool. */
  at: ChainStep | undefined = undefined
  /** When it began, where somebody listens: milliseconds of `performance.now()`. */
  started: number | undefined = undefined
  readonly depth: number
  /** The signal, as far as there is one that somebody can abort. */
  abort: AbortSignal | undefined
  private ownRun: Run | undefined = undefined
  private ownLocals: Locals | undefined = undefined
  private ownShared: Record<string, unknown> | undefined = undefined
  private ownNonlocals: Record<string, unknown> | undefined = undefined
  private ownEnvelope: Envelope | undefined = undefined
  private ownManager: Manager | undefined = undefined
  private hasCalled = false

  /** @param served the context that a middleware serves */
  constructor(
    readonly globals: Globals,
    readonly tool: ToolDef,
    readonly invoke: InvokeFor,
    readonly caller: RunContext | undefined,
    readonly options: InvokeOptions | undefined,
    readonly served?: RunContext,
  ) {
    this.depth = served ? served.depth : caller ? caller.depth + 1 : 0
    this.abort = served ? served.abort : either(caller?.abort, options?.signal)
  }

  get args(): unknown {
    return this.ownArgs
  }

  /** Sets what the call is made with, once: what was validated stays what the tool gets. */
  takeArguments(args: unknown): void {
    if (this.hasArguments) throw new TypeError('The arguments of a call are set once.')
    this.hasArguments = true
    this.ownArgs = freezeArguments(args)
  }

  get run(): Run {
    this.ownRun ??= new RunOf(this)
    return this.ownRun
  }

  get locals(): Locals {
    if (this.ownLocals === undefined) {
      const locals = new Bag() as Locals
      locals.result = undefined
      locals.config = new Bag()
      this.ownLocals = locals
    }
    return this.ownLocals
  }

  get nonlocals(): Record<string, unknown> {
    this.ownNonlocals ??= below(this.shared)
    return this.ownNonlocals
  }

  /** What the caller shares. A tool's nonlocals and those of its middlewares lie side by side below it. */
  get shared(): Record<string, unknown> | undefined {
    if (this.served) return this.served.shared
    const given = this.options?.nonlocals
    if (given === undefined) return this.caller?.nonlocals
    this.ownShared ??= Object.assign(below(this.caller?.nonlocals), given)
    return this.ownShared
  }

  get envelope(): Envelope {
    this.ownEnvelope ??= this.served ? { ...this.served.envelope, target: this.served } : envelopeOf(this)
    return this.ownEnvelope
  }

  get manager(): Manager {
    this.ownManager ??= new ManagerOf(this)
    return this.ownManager
  }

  /** What of its chain runs, or for a middleware its own step; undefined: the tool. */
  get current(): ChainStep | undefined {
    return this.at
  }

  get hook(): Run['hook'] {
    return undefined
  }

  /** Throws where what was loaded meanwhile may not start any more. */
  mustGoOn(): void {
    throwIfAborted(this)
  }

  /** Nothing is further in than a tool. */
  next(): Promise<unknown> {
    if (this.hasCalled) throw nextTwice(this.tool.name, false)
    this.hasCalled = true
    return Promise.resolve(undefined)
  }
}

/** The error for a call of `next()` when it can run nothing more. */
export function nextTwice(tool: string, hasEnded: boolean): AgentAppsError {
  return new AgentAppsError(
    'NEXT_TWICE',
    `"${tool}" calls next() ${hasEnded ? 'after it has ended' : 'a second time'}.`,
    { hint: 'Call and await it once.', tool },
  )
}

function envelopeOf(ctx: RunContext): Envelope {
  const { caller, depth, options = {} } = ctx
  const above: CallIds = caller?.envelope ?? {}
  return {
    target: ctx,
    caller,
    depth,
    as: options.as ?? 'code',
    sessionId: options.sessionId ?? above.sessionId,
    messageId: options.messageId ?? above.messageId,
    callId: options.callId,
    agentId: options.agentId ?? above.agentId,
    userId: options.userId ?? above.userId,
    workspaceId: options.workspaceId ?? above.workspaceId,
  }
}

/** What it gives may be called without it. */
class ManagerOf implements Manager {
  constructor(private readonly ctx: RunContext) {}

  get next(): Manager['next'] {
    return () => this.ctx.next()
  }

  get invoke(): Manager['invoke'] {
    const { ctx } = this
    return (ref, args, options) => ctx.invoke(ctx, ref, args, options)
  }
}

class RunOf implements Run {
  private readonly ctx: RunContext
  private ownId: string | undefined = undefined
  private ownTool: RunningTool | undefined = undefined

  constructor(ctx: RunContext) {
    this.ctx = ctx
  }

  get id(): string {
    this.ownId ??= crypto.randomUUID()
    return this.ownId
  }

  get tool(): RunningTool {
    const { tool } = this.ctx
    this.ownTool ??= { name: tool.name, def: tool }
    return this.ownTool
  }

  get chain(): readonly ChainStep[] {
    const { served = this.ctx } = this.ctx
    return served.chain?.steps ?? []
  }

  get index(): number {
    const { current } = this.ctx
    return current === undefined ? this.chain.length : this.chain.indexOf(current)
  }

  get hook(): Run['hook'] {
    return this.ctx.hook
  }

  get signal(): AbortSignal {
    this.ctx.abort ??= new AbortController().signal
    return this.ctx.abort
  }

  set signal(signal: AbortSignal) {
    this.ctx.abort = either(this.ctx.abort, signal)
  }

  get origin(): Origin {
    return this.ctx.tool.origin
  }

  readonly update = (progress: Progress): void => {
    const ctx = invocationOf(this.ctx)
    if (!ctx.globals.events.listeners.has('tool:update')) return
    void whenThere(observing(), ({ emit }) => emit('tool:update', ctx, progress))
  }
}

/** The context of the tool that is invoked, for one of its middlewares or of theirs. */
export function invocationOf(ctx: RunContext): RunContext {
  let invoked = ctx
  while (invoked.served) invoked = invoked.served
  return invoked
}

/** A signal that ends with either of two. */
function either(one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  return one && other && one !== other ? AbortSignal.any([one, other]) : (one ?? other)
}
