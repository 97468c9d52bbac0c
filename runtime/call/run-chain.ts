import { type AgentAppsError, isAgentAppsError } from '../../src/base/error.js'
import { CALLS_MAX } from '../../src/index/index-format.js'
import type { HookTrigger } from '../../src/skill/metadata-keys.js'
import { cascadeInvalid } from '../cascade/cascade-faults.js'
import { chainOf } from '../cascade/chain-of.js'
import { writtenFile } from '../directory/written-place.js'
import { type Awaitable, isThenable, lazy, whenThere } from '../host/later.js'
import { type Chain, type ChainStep, EMPTY_CHAIN } from '../state/chain.js'
import type { Run } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { nextTwice, RunContext, runAborted, throwIfAborted } from './run-context.js'

const interpolating = lazy(() => import('../schema/interpolation-roots.js'))
const placing = lazy(() => import('../cascade/resolve-cascade.js'))

/**
 * Runs a chain around a tool, and returns the result. Entries run from the outside in: one that returns a value ends
 * the chain, one that returns undefined lets it go on, and `next()` runs everything further in. Only promises are
 * awaited: composed of plain `async` functions, ten middlewares would take twice the time.
 *
 * @param outer the middleware whose own chain this is
 */
export function runChain(
  ctx: RunContext,
  chain: Chain,
  body: () => unknown,
  outer?: MiddlewareContext,
): Awaitable<unknown> {
  const onion = new Onion(ctx, chain, body, outer)
  ctx.chain = chain
  if (chain !== EMPTY_CHAIN) return onion.aroundAll(0, undefined)
  onion.throwIfLeft(undefined, 0)
  return body()
}

/** One run of a chain: middlewares inside each other, each of which returns the result so far. */
class Onion {
  /** The calls of middleware so far, of all chains that one call of a tool expands to. */
  readonly tally: { calls: number }

  constructor(
    readonly ctx: RunContext,
    readonly chain: Chain,
    private readonly body: () => unknown,
    readonly outer: MiddlewareContext | undefined,
  ) {
    this.tally = outer?.onion.tally ?? { calls: 0 }
  }

  /** The `$invoke` hooks from one on, around all entries. */
  aroundAll(hook: number, around: MiddlewareContext | undefined): Awaitable<unknown> {
    const step = this.chain.invokeHooks[hook]
    return step
      ? new MiddlewareContext(this, step, around, 0, hook, '$invoke').start()
      : this.entry(0, 0, around)
  }

  /** An entry, or past the last one the tool, in the `$next` hooks from one on. */
  entry(at: number, hook: number, around: MiddlewareContext | undefined): Awaitable<unknown> {
    const { entries, nextHooks } = this.chain
    const wrapping = nextHooks[hook]
    if (wrapping) return new MiddlewareContext(this, wrapping, around, at, hook, '$next').start()
    const step = entries[at]
    return step ? new MiddlewareContext(this, step, around, at, 0, undefined).start() : this.tool(around)
  }

  private tool(around: MiddlewareContext | undefined): Awaitable<unknown> {
    const tries = around ? around.tries : 0
    this.throwIfLeft(around, tries)
    // Checked again once the tool's code is loaded.
    this.ctx.guard = () => this.throwIfLeft(around, tries)
    this.ctx.at = undefined
    const result = this.body()
    if (!isThenable(result)) return this.keepLast(result, around, tries)
    return Promise.resolve(result).then(
      value => this.keepLast(value, around, tries),
      error => {
        around?.hasFailed(error)
        throw error
      },
    )
  }

  private keepLast(result: unknown, around: MiddlewareContext | undefined, tries: number): unknown {
    this.keep(result, around, tries)
    around?.hasRun(true)
    return this.ctx.locals.result
  }

  keep(result: unknown, around: MiddlewareContext | undefined, tries: number): void {
    if (result !== undefined && !this.isLeft(around, tries)) this.ctx.locals.result = result
  }

  /**
   * True for a run that a middleware around it no longer waits for, as it has ended or tries again: it starts nothing
   * more, and its result does not count.
   *
   * @param tries how often that middleware had called `next()` when the run began
   */
  isLeft(around: MiddlewareContext | undefined, tries: number): boolean {
    if (around && (around.isOver || around.tries !== tries || around.isLeft)) return true
    return this.outer?.isLeft ?? false
  }

  throwIfLeft(around: MiddlewareContext | undefined, tries: number): void {
    throwIfAborted(this.ctx)
    if (this.isLeft(around, tries)) throw runAborted(this.ctx.tool.name, 'a middleware around it has ended')
  }
}

/** Middlewares that call each other without a wait, at most, so that a long chain does not fill the stack. */
const PLACES_AT_ONCE = 64

/** The context of a middleware, which knows its place in the onion. */
class MiddlewareContext extends RunContext {
  /** The number of calls of `next()`. */
  tries = 0
  /** True once it ended without waiting for what is further in. */
  isOver = false
  /** The number of middlewares started before it, those around it and those that went on. */
  private readonly place: number
  private readonly triesAround: number
  /** The served context's signal when this began. */
  private readonly before: AbortSignal | undefined
  /** The calls of middleware before `next()`, which another try makes again. */
  private callsBefore = 0
  private hasEnded = false
  /** The promise that `next()` returned. */
  private given: Promise<unknown> | undefined = undefined
  /** Progress of the calls further in: any has run, all have run, and the error thrown. */
  private innerHasRun = false
  private innerIsDone = true
  private innerFailure: { error: unknown } | undefined = undefined

  /**
   * @param around the middleware that it lies in
   * @param entry the place of the entry that it is, or that it wraps
   * @param order its place among the hooks, where it is one
   */
  constructor(
    readonly onion: Onion,
    private readonly step: ChainStep,
    private readonly around: MiddlewareContext | undefined,
    private readonly entry: number,
    private readonly order: number,
    private readonly trigger: HookTrigger | undefined,
  ) {
    const { ctx } = onion
    super(ctx.globals, step.def, ctx.invoke, ctx.caller, undefined, ctx)
    const hooks = onion.chain.nextHooks.length
    this.place = (onion.outer?.place ?? 0) + entry * (hooks + 1) + (trigger ? order : hooks) + 1
    this.triesAround = around ? around.tries : 0
    this.before = ctx.abort
  }

  override get current(): ChainStep {
    return this.step
  }

  override get hook(): Run['hook'] {
    const { chain, ctx } = this.onion
    return this.trigger && { trigger: this.trigger, target: (chain.entries[this.entry] ?? ctx.tool).name }
  }

  get isLeft(): boolean {
    return this.onion.isLeft(this.around, this.triesAround)
  }

  override throwIfAborted(): void {
    this.onion.throwIfLeft(this.around, this.triesAround)
  }

  start(): Awaitable<unknown> {
    return this.place % PLACES_AT_ONCE === 0 ? Promise.resolve().then(() => this.begin()) : this.begin()
  }

  private begin(): Awaitable<unknown> {
    try {
      const value = this.call()
      if (!isThenable(value)) return this.end(value)
      return Promise.resolve(value).then(
        given => this.end(given),
        error => this.failOf(error),
      )
    } catch (error) {
      return this.failOf(error)
    }
  }

  /** Adds to an error about a middleware's configuration the place where that is written. */
  private failOf(error: unknown): Awaitable<never> {
    const { name } = this.step
    const isFault = isAgentAppsError(error) && error.code === 'MIDDLEWARE_CONFIG'
    // An error from further in has its place already.
    const isPlaced = isFault && isAgentAppsError(error.cause) && error.cause.code === error.code
    if (!isFault || isPlaced || (error.tool ?? name) !== name) return this.fail(error)
    const { ctx } = this.onion
    return Promise.resolve(placing())
      .then(({ configurationInvalid }) => configurationInvalid(error, name, ctx.tool, ctx.globals))
      .then(placed => this.fail(placed))
  }

  private call(): unknown {
    const { args, isVolatile } = this.step
    if (!isVolatile) return this.callWith(args)
    return whenThere(interpolating(), ({ interpolateArguments }) =>
      this.callWith(interpolateArguments(args, this.onion.ctx)),
    )
  }

  private callWith(args: unknown): unknown {
    const { onion, step, trigger } = this
    this.throwIfAborted()
    // A resolved chain has a bounded number of calls; a faulty index may expand without end.
    if (++onion.tally.calls > CALLS_MAX) throw tooLarge(onion.ctx.tool, step.name)
    onion.ctx.at = step
    if (step.static || trigger) return step.def.fn(this, args)
    return whenThere(chainOf(step.def, this.globals), chain =>
      runChain(this, chain, () => step.def.fn(this, args), this),
    )
  }

  private goOn(): Awaitable<unknown> {
    const { entry, onion, order, trigger } = this
    if (trigger === '$invoke') return onion.aroundAll(order + 1, this)
    return trigger ? onion.entry(entry, order + 1, this) : onion.entry(entry + 1, 0, this)
  }

  override next(): Promise<unknown> {
    const mayTry = this.given === undefined || this.innerFailure !== undefined
    if (!mayTry || this.hasEnded) throw nextTwice(this.tool.name, this.hasEnded)
    const { tally } = this.onion
    if (this.innerFailure) {
      this.forgetFailure()
      tally.calls = this.callsBefore
    }
    this.callsBefore = tally.calls
    this.tries++
    try {
      const result = this.goOn()
      this.given = isThenable(result) ? watched(result) : Promise.resolve(result)
    } catch (error) {
      this.given = watched(Promise.reject(error))
      this.hasFailed(error)
    }
    return this.given
  }

  private forgetFailure(): void {
    this.given = undefined
    this.innerFailure = undefined
    this.innerHasRun = false
    this.onion.ctx.abort = this.before
  }

  /** Notes that something further in has run; `isDone` is false if more of the chain is still to run. */
  hasRun(isDone: boolean): void {
    this.innerHasRun = true
    this.innerIsDone = isDone
  }

  hasFailed(error: unknown): void {
    this.innerHasRun = true
    this.innerFailure = { error }
    // An error that nothing awaits is this middleware's, not an unhandled rejection.
    if (this.given) quiet(this.given)
  }

  private end(value: unknown): Awaitable<unknown> {
    const { around, given, onion, triesAround } = this
    this.hasEnded = true
    try {
      if (value !== undefined) {
        onion.keep(value, around, triesAround)
        this.isOver = true
        return this.pass(true)
      }
      if (given === undefined && this.trigger === undefined) return this.pass(false)
      if (!this.innerHasRun) return this.afterInner(given ?? this.goOn())
      // A middleware that awaited `next()` has seen its error, and chose to go on.
      if (this.innerFailure && given && !isRead(given)) throw this.innerFailure.error
      return this.pass(this.innerIsDone)
    } catch (error) {
      return this.fail(error)
    }
  }

  private afterInner(running: Awaitable<unknown>): Awaitable<unknown> {
    if (!isThenable(running)) return this.pass(this.innerIsDone)
    return running.then(
      () => this.pass(this.innerIsDone),
      error => this.fail(error),
    )
  }

  /** Goes on to the next entry, or returns to the middleware around it. */
  private pass(isDone: boolean): Awaitable<unknown> {
    const { around, entry, onion, order, trigger } = this
    if (!isDone && order === 0 && (trigger || onion.chain.nextHooks.length === 0))
      return onion.entry(entry + 1, 0, around)
    // A signal that was set for what is further in no longer holds, once that has run.
    if (isDone) onion.ctx.abort = this.before
    around?.hasRun(isDone)
    return onion.ctx.locals.result
  }

  private fail(error: unknown): never {
    const { around, onion } = this
    this.hasEnded = true
    this.isOver = true
    onion.ctx.abort = this.before
    around?.hasFailed(error)
    throw error
  }
}

function tooLarge(tool: ToolDef, name: string): AgentAppsError {
  const message = `one call of it expands to more than ${CALLS_MAX} calls of middleware, at last of "${name}"`
  const hint = 'Run `agent-apps compile`: the index is not right.'
  const file = writtenFile(tool)
  return cascadeInvalid(tool, { message, hint }, file === null ? null : { file })
}

/** Set on a promise once something awaits it. */
const IS_READ = Symbol('is read')

/** The prototype of watched promises: `await` and `then` read `constructor`. A subclass would cost a microsecond for each two middlewares. */
const WATCHED: object = Object.create(Promise.prototype, {
  constructor: {
    get(this: { [IS_READ]?: boolean }) {
      this[IS_READ] = true
      return Promise
    },
  },
})

function watched(promise: PromiseLike<unknown>): Promise<unknown> {
  return Object.setPrototypeOf(promise, WATCHED)
}

function isRead(promise: Promise<unknown>): boolean {
  return (promise as { [IS_READ]?: boolean })[IS_READ] === true
}

/** Keeps an error that nothing awaits from ending the process. */
function quiet(promise: Promise<unknown>): void {
  const wasRead = isRead(promise)
  promise.then(undefined, () => {})
  Object.assign(promise, { [IS_READ]: wasRead })
}
