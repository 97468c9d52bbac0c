import { AgentAppsError, isAgentAppsError } from '../../src/base/error.js'
import type { Permission, ToolPermissions } from '../../src/base/permissions.js'
import { OWN, type OwnParts } from '../../src/own/own-parts.js'
import type { SpawnedAgent, SpawnPolicy } from '../../src/skill/tool-context.js'
import { lazy, whenThere } from '../host/later.js'
import { freezeArguments } from '../schema/check-arguments.js'
import type { Chain, ChainStep } from '../state/chain.js'
import type {
  CallContext,
  CallIds,
  Envelope,
  Globals,
  InvokeOptions,
  Locals,
  Manager,
  Run,
  RunningTool,
} from '../state/context.js'
import type { Progress } from '../state/events.js'
import type { Origin, ToolDef } from '../state/tool-def.js'

export const observing = lazy(() => import('./observe.js'))
const asking = lazy(() => import('../own/ask-for-tool.js'))
const lifecycles = lazy(() => import('../lifecycle/runtime-lifecycle.js'))

/** Runs a tool for another one, or starts an agent for it. */
export interface InvokeFor {
  (caller: RunContext, ref: string, args?: unknown, options?: InvokeOptions): Promise<unknown>
  spawn: (caller: RunContext, policy: SpawnPolicy | string) => SpawnedAgent
}

/** An object without a prototype's keys, like `Object.create(null)`, but fast. */
const Bag = function Bag() {} as unknown as new () => Record<string, unknown>
Bag.prototype = Object.freeze(Object.create(null))

function below(shared: Record<string, unknown> | undefined): Record<string, unknown> {
  return shared === undefined ? new Bag() : Object.create(shared)
}

/** The context of a tool or a middleware. Its parts are made when they are first read. */
export class RunContext implements CallContext {
  #args: unknown = undefined
  #hasArguments = false
  chain: Chain | undefined
  /** The step of the chain that runs now; undefined: the tool. */
  at: ChainStep | undefined
  /** The start in milliseconds of `performance.now()`, if there are listeners. */
  started: number | undefined
  /** The last reported progress, if there are listeners. */
  progress: Progress | undefined
  /** The check of `throwIfAborted` inside a chain. */
  guard: (() => void) | undefined = undefined
  /** The permissions granted to the tool, if an agent is above. */
  granted: readonly Permission[] | undefined
  /** The permissions granted to the agent that called it. */
  permitted: readonly Permission[] | undefined
  readonly depth: number
  /** Undefined until there is a signal that can abort. */
  abort: AbortSignal | undefined
  private ownRun: Run | undefined
  private ownShared: Record<string, unknown> | undefined
  private ownNonlocals: Record<string, unknown> | undefined
  private ownEnvelope: Envelope | undefined
  private ownManager: Manager | undefined
  private hasCalled = false
  ownLocals: Locals | undefined
  owns: ReadonlyMap<ToolDef, OwnParts> | undefined

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
    return this.#args
  }

  /** Sets the call's arguments, once: from then on no code can put others in their place. */
  takeArguments(args: unknown): void {
    if (this.#hasArguments) throw new TypeError('The arguments of a call are set once.')
    this.#hasArguments = true
    this.#args = freezeArguments(args)
    // A property `args` of its own would hide the getter.
    Object.preventExtensions(this)
  }

  get run(): Run {
    this.ownRun ??= new RunOf(this)
    return this.ownRun
  }

  get locals(): Locals {
    this.ownLocals ??= Object.assign(new Bag(), { result: undefined, config: new Bag() })
    return this.ownLocals
  }

  get [OWN](): OwnParts {
    const { owns } = invocationOf(this)
    return owns?.get(this.tool) ?? bareParts(this)
  }

  get nonlocals(): Record<string, unknown> {
    this.ownNonlocals ??= below(this.shared)
    return this.ownNonlocals
  }

  /** The caller's nonlocals. Those of a tool and of its middlewares lie side by side below them. */
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

  /** The step of its chain that runs, or for a middleware its own step; undefined: the tool. */
  get current(): ChainStep | undefined {
    return this.at
  }

  get hook(): Run['hook'] {
    return undefined
  }

  /** Throws RUN_ABORTED if nothing more may be started for this call. */
  throwIfAborted(): void {
    if (this.guard) this.guard()
    else throwIfAborted(this)
  }

  /** Runs a tool with hooks, once it is initialised. */
  withHooks(fn: object, run: (instance: unknown) => Promise<unknown>): Promise<unknown> {
    return Promise.resolve(
      whenThere(lifecycles(), ({ lifecycleOf }) => lifecycleOf(this.globals).run(fn, this, run)),
    )
  }

  /** Nothing runs inside a tool. */
  next(): Promise<unknown> {
    if (this.hasCalled) throw nextTwice(this.tool.name, false)
    this.hasCalled = true
    return Promise.resolve(undefined)
  }
}

/** The own parts of a tool that declares none: a way to ask. */
function bareParts(ctx: RunContext): OwnParts {
  const ask = async (question: never): Promise<unknown> =>
    (await asking()).askFor(ctx.tool, ctx, () => ctx.abort)(question)
  return { config: NOTHING, env: NOTHING, state: undefined, ask: ask as OwnParts['ask'] }
}

const NOTHING = Object.freeze({})

export function throwIfAborted({ abort, tool }: RunContext): void {
  if (abort?.aborted) throw runAborted(tool.name, 'its signal was aborted', abort.reason)
}

/** The error for a run that was aborted; the cause itself if it is an AgentAppsError. */
export function runAborted(tool: string, why: string, cause?: unknown): AgentAppsError {
  if (isAgentAppsError(cause)) return cause
  return new AgentAppsError('RUN_ABORTED', `The run of "${tool}" goes no further: ${why}.`, {
    hint: 'The caller no longer needs the result.',
    tool,
    cause,
  })
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

/** Its functions may be destructured. */
class ManagerOf implements Manager {
  constructor(private readonly ctx: RunContext) {}

  get next(): Manager['next'] {
    return () => this.ctx.next()
  }

  get invoke(): Manager['invoke'] {
    const { ctx } = this
    return (ref, args, options) => ctx.invoke(ctx, ref, args, options)
  }

  get spawn(): Manager['spawn'] {
    const { ctx } = this
    return policy => ctx.invoke.spawn(ctx, policy)
  }
}

class RunOf implements Run {
  private readonly ctx: RunContext
  private ownId: string | undefined
  private ownTool: RunningTool | undefined

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

  get granted(): readonly Permission[] {
    const { ctx } = this
    const { optional = [] } = (ctx.tool.frontmatter.metadata.permissions ?? {}) as ToolPermissions
    let { granted } = ctx
    for (let one = ctx.served && invocationOf(ctx); one && !granted; one = one.caller) granted = one.permitted
    return optional.filter(one => granted?.includes(one) ?? true)
  }

  readonly update = (progress: Progress): void => {
    const ctx = invocationOf(this.ctx)
    const { listeners } = ctx.globals.events
    if (listeners.size === 0) return
    ctx.progress = { ...ctx.progress, ...progress }
    if (listeners.has('tool:update'))
      void whenThere(observing(), ({ emit }) => emit('tool:update', ctx, progress))
  }
}

/** The context of the invoked tool, from that of one of its middlewares at any depth. */
export function invocationOf(ctx: RunContext): RunContext {
  let invoked = ctx
  while (invoked.served) invoked = invoked.served
  return invoked
}

/** A signal that aborts with either of two. */
function either(one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  return one && other && one !== other ? AbortSignal.any([one, other]) : (one ?? other)
}
