import { AgentAppsError, isAgentAppsError } from '../../src/base/error.js'
import type { ManagedCall } from '../state/context.js'
import { asyncStorage } from './async-storage.js'

interface Turn {
  /** Aborts all its calls. */
  signal: AbortSignal | undefined
  /** Its start, in milliseconds of `performance.now()`. */
  began: number
}

/** Work between turns. New turns wait for it. */
interface Pause {
  begin: () => void
  hasBegun: boolean
  done: Promise<void>
}

/** The turns of a runtime, and the work between them. */
export class Turns {
  private readonly storage = asyncStorage<Turn>()
  private readonly active = new Set<Turn>()
  private pause: Pause | undefined

  /** Runs work as a turn, or as part of the current one. */
  async run<Result>(signal: AbortSignal | undefined, work: () => Promise<Result>): Promise<Result> {
    if (signal?.aborted) throw turnAborted(signal.reason)
    const outer = this.storage?.getStore()
    if (outer) return this.within({ ...outer, signal: either(outer.signal, signal) }, work)
    while (this.pause) await this.pause.done
    const turn = { signal, began: performance.now() }
    this.active.add(turn)
    try {
      return await this.within(turn, work)
    } finally {
      this.active.delete(turn)
      this.beginPause()
    }
  }

  /** Gives a call the signal of its turn. */
  enter(call: ManagedCall): void {
    const signal = this.current()?.signal
    if (signal) call.run.signal = signal
  }

  /** True in a turn that began before a time, and so still sees the files of then. */
  isOlderThan(time: number): boolean {
    return (this.current()?.began ?? Infinity) < time
  }

  /**
   * Does work while no turn is in progress. Called in a turn, or on a host that cannot tell, it does not wait for the
   * turns to end.
   *
   * @returns true if the work is still pending
   */
  async betweenTurns(work: () => Promise<void>): Promise<boolean> {
    while (this.pause?.hasBegun) await this.pause.done
    this.pause ??= this.pauseFor(work)
    const { done, begin } = this.pause
    if (this.active.size === 0) begin()
    else if (this.storage === null || this.storage.getStore()) return true
    await done
    return false
  }

  private beginPause(): void {
    if (this.active.size === 0) this.pause?.begin()
  }

  private pauseFor(work: () => Promise<void>): Pause {
    let begin = (): void => {}
    const begun = new Promise<void>(fulfil => {
      begin = fulfil
    })
    const done = begun.then(work).finally(() => {
      this.pause = undefined
    })
    const pause: Pause = {
      hasBegun: false,
      begin() {
        pause.hasBegun = true
        begin()
      },
      // Turns wait for its end; its caller gets the error.
      done: done.catch(() => {}),
    }
    return pause
  }

  private within<Result>(turn: Turn, work: () => Result): Result {
    return this.storage ? this.storage.run(turn, work) : work()
  }

  /** The current turn. Without a storage, it is known only if there is just one. */
  private current(): Turn | undefined {
    if (this.storage) return this.storage.getStore()
    return this.active.size === 1 ? [...this.active][0] : undefined
  }
}

function either(one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  return one && other ? AbortSignal.any([one, other]) : (one ?? other)
}

function turnAborted(cause: unknown): AgentAppsError {
  if (isAgentAppsError(cause)) return cause
  return new AgentAppsError('RUN_ABORTED', 'The turn does not begin: its signal was aborted.', {
    hint: 'The caller no longer needs the result.',
    cause,
  })
}
