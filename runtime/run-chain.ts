import type { HookTrigger } from '../src/cascade-types.js'
import { type Awaitable, isThenable, whenThere } from '../src/thenable.js'
import { type Chain, type ChainStep, chainOf, EMPTY_CHAIN } from './chain.js'
import { nextTwice, type Place, RunContext } from './context.js'
import { lazy } from './lazy.js'
import { runAborted, throwIfAborted } from './run-aborted.js'

const interpolating = lazy(() => import('./interpolate-arguments.js'))

/** Whether what stands further in has run, or must not; else it is still to be run. */
type IsDone = boolean

/**
 * Runs a chain around a tool, and gives the result. Entries run outside in: one that returns a value ends it there, one
 * that returns undefined goes on, and one that calls `next()` has all that is further in run where it does. What is
 * no promise is not waited for.
 *
 * @param outer where the context is a middleware's own: its place in the chain that it stands in
 */
export function runChain(
  ctx: RunContext,
  chain: Chain,
  body: () => unknown,
  outer?: Frame,
): Awaitable<unknown> {
  const onion = new Onion(ctx, chain, body, outer)
  ctx.chain = chain
  if (chain === EMPTY_CHAIN) {
    onion.mustGoOn(0)
    return body()
  }
  return whenThere(onion.aroundAll(0, 0), () => ctx.locals.result)
}

/** Frames that were started by one call of `next()`, and not again since. */
class Try {
  /** Frames further in than this were left behind: they start nothing more, and give no result. */
  innermost = Number.POSITIVE_INFINITY

  /** @param around the frame that tries again; undefined for the first try */
  constructor(readonly around?: Frame) {}
}

/** One run of a chain. Its frames lie in each other, each one level further in than the one around it. */
class Onion {
  current = new Try()

  constructor(
    readonly ctx: RunContext,
    readonly chain: Chain,
    readonly body: () => unknown,
    readonly outer: Frame | undefined,
  ) {}

  /** The `$invoke` hooks from one on, around all entries. */
  aroundAll(at: number, level: number): Awaitable<IsDone> {
    const step = this.chain.invokeHooks[at]
    return step
      ? new Frame(this, step, level, () => this.aroundAll(at + 1, level + 1), '$invoke').run()
      : this.entries(0, level)
  }

  /** The entries from one on, and the tool. */
  entries(from: number, level: number): Awaitable<IsDone> {
    for (let at = from; at <= this.chain.entries.length; at++) {
      const done = this.entry(at, 0, level)
      if (isThenable(done)) return done.then(isDone => isDone || this.entries(at + 1, level))
      if (done) break
    }
    return true
  }

  /** One entry, or past the last the tool, in the `$next` hooks from one on. */
  entry(at: number, hook: number, level: number): Awaitable<IsDone> {
    const around = this.chain.nextHooks[hook]
    if (around) {
      const goOn = () => this.entry(at, hook + 1, level + 1)
      return new Frame(this, around, level, goOn, '$next', at).run()
    }
    const step = this.chain.entries[at]
    return step ? new Frame(this, step, level, () => this.entries(at + 1, level + 1)).run() : this.tool(level)
  }

  tool(level: number): Awaitable<IsDone> {
    const attempt = this.current
    this.mustGoOn(level, attempt)
    this.ctx.at = undefined
    return whenThere(this.body(), result => this.keep(result, level, attempt))
  }

  keep(result: unknown, level: number, attempt: Try): IsDone {
    if (result !== undefined && !this.isLeft(level, attempt)) this.ctx.locals.result = result
    return true
  }

  isLeft(level: number, { innermost, around }: Try): boolean {
    return level > innermost || (around?.isLeft ?? false) || (this.outer?.isLeft ?? false)
  }

  /** Throws where nothing more may be started. */
  mustGoOn(level: number, attempt = this.current): void {
    throwIfAborted(this.ctx)
    if (this.isLeft(level, attempt)) throw runAborted(this.ctx.tool.name, 'a middleware around it has ended')
  }
}

/** One middleware while it runs, at its place. */
class Frame implements Place {
  readonly #own: RunContext
  readonly #try: Try
  readonly #abort: AbortSignal | undefined
  #hasEnded = false
  /** What `next()` gave. */
  #given: Promise<unknown> | undefined = undefined
  /** What it runs, until that has ended. */
  #pending: PromiseLike<IsDone> | undefined = undefined
  #isDone: IsDone = true
  #failure: { error: unknown } | undefined = undefined

  /** @param goOn runs what is further in */
  constructor(
    readonly onion: Onion,
    readonly step: ChainStep,
    readonly level: number,
    readonly goOn: () => Awaitable<IsDone>,
    readonly trigger?: HookTrigger,
    readonly wraps = 0,
  ) {
    const { ctx } = onion
    this.#own = new RunContext(ctx.globals, step.def, ctx.caller, undefined, ctx, this)
    this.#abort = ctx.abort
    this.#try = onion.current
  }

  get hook(): Place['hook'] {
    const { chain, ctx } = this.onion
    return this.trigger && { trigger: this.trigger, target: (chain.entries[this.wraps] ?? ctx.tool).name }
  }

  get isLeft(): boolean {
    return this.onion.isLeft(this.level, this.#try)
  }

  run(): Awaitable<IsDone> {
    try {
      const value = this.#call()
      if (!isThenable(value)) return this.#end(value)
      return Promise.resolve(value).then(
        given => this.#end(given),
        error => this.#fail(error),
      )
    } catch (error) {
      return this.#fail(error)
    }
  }

  #call(): unknown {
    const { args, isVolatile } = this.step
    if (!isVolatile) return this.#callWith(args)
    return whenThere(interpolating(), ({ interpolateArguments }) =>
      this.#callWith(interpolateArguments(args, this.onion.ctx)),
    )
  }

  #callWith(args: unknown): unknown {
    const { onion, step } = this
    const own = this.#own
    onion.mustGoOn(this.level, this.#try)
    onion.ctx.at = step
    if (step.static || this.trigger) return step.def.fn(own, args)
    return whenThere(chainOf(step.def, own.globals), chain =>
      runChain(own, chain, () => step.def.fn(own, args), this),
    )
  }

  next(): Promise<unknown> {
    if ((this.#given && !this.#failure) || this.#hasEnded) throw nextTwice(this.step.name, this.#hasEnded)
    if (this.#failure) this.#tryAgain()
    const { ctx } = this.onion
    try {
      const done = this.goOn()
      if (!isThenable(done)) {
        this.#isDone = done
        this.#given = Promise.resolve(ctx.locals.result)
        return this.#given
      }
      this.#pending = done
      const given = new WatchedPromise((resolve, reject) => {
        done.then(
          isDone => {
            this.#pending = undefined
            this.#isDone = isDone
            resolve(ctx.locals.result)
          },
          error => {
            this.#pending = undefined
            this.#failure = { error }
            given.quiet()
            reject(error)
          },
        )
      })
      this.#given = given
      return given
    } catch (error) {
      this.#failure = { error }
      const given = WatchedPromise.reject(error) as WatchedPromise
      given.quiet()
      this.#given = given
      return given
    }
  }

  /** What failed may be tried again. What of the last try still runs is left behind. */
  #tryAgain(): void {
    this.#failure = undefined
    this.#leave()
    this.onion.current = new Try(this)
  }

  #end(value: unknown): Awaitable<IsDone> {
    const { onion, level } = this
    this.#hasEnded = true
    if (value !== undefined) {
      onion.keep(value, level, this.#try)
      this.#leave()
      return true
    }
    if (this.#given === undefined) return this.trigger !== undefined && this.goOn()
    if (this.#pending)
      return this.#pending.then(isDone => {
        this.#leave()
        return isDone
      })
    this.#leave()
    // Whoever waited for `next()` has seen its error, and chose to go on.
    if (this.#failure && !(this.#given as WatchedPromise).isRead) throw this.#failure.error
    return this.#isDone
  }

  #fail(error: unknown): never {
    this.#hasEnded = true
    this.#leave()
    throw error
  }

  /** What was started further in is no longer waited for, and a signal set for it no longer holds. */
  #leave(): void {
    this.#try.innermost = Math.min(this.#try.innermost, this.level)
    if (this.onion.current.around === this) {
      this.onion.current.innermost = this.level
      this.onion.current = this.#try
    }
    this.onion.ctx.abort = this.#abort
  }
}

/** Knows whether somebody waits for it. */
class WatchedPromise extends Promise<unknown> {
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  isRead = false

  // biome-ignore lint/suspicious/noThenProperty: this is a promise.
  override then<Fulfilled = unknown, Rejected = never>(
    fulfilled?: ((value: unknown) => Fulfilled | PromiseLike<Fulfilled>) | null,
    rejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    this.isRead = true
    return super.then(fulfilled, rejected)
  }

  /** An error that nobody waits for is the middleware's, and not the process's. */
  quiet(): void {
    super.then(undefined, () => {})
  }
}
