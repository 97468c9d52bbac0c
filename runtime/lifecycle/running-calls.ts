import type { AgentAppsError } from '../../src/base/error.js'
import type { ManagedCall } from '../state/context.js'
import type { AsyncStorage } from './async-storage.js'
import { DRAIN_LIMIT } from './lifecycle-faults.js'
import { orAborted, withinTime } from './time-limit.js'

export interface RunningCall {
  /** The call of a tool with hooks around it. */
  outer: RunningCall | undefined
  /** Fulfilled once it has ended or was released. */
  over: Promise<void>
  end: () => void
  /** Rejects it for its caller. */
  abort: (reason: AgentAppsError) => void
}

export class RunningCalls {
  private readonly calls = new Set<RunningCall>()

  constructor(private readonly storage: AsyncStorage<RunningCall> | null) {}

  get size(): number {
    return this.calls.size
  }

  /** Runs a call. Its signal aborts if a drain gives up on it. */
  async run(call: ManagedCall, work: () => Promise<unknown>): Promise<unknown> {
    const controller = new AbortController()
    call.run.signal = controller.signal
    const running = newCall(controller, this.storage?.getStore())
    this.calls.add(running)
    try {
      const result = this.storage ? this.storage.run(running, work) : work()
      return await orAborted(result, controller.signal)
    } finally {
      this.calls.delete(running)
      running.end()
    }
  }

  /** Waits until all have ended, and aborts those that exceed the limit. */
  async drain(reason: () => AgentAppsError): Promise<void> {
    const all = [...this.calls]
    await withinTime(Promise.all(all.map(({ over }) => over)), DRAIN_LIMIT, () => {
      for (const { abort } of this.calls) abort(reason())
    })
  }
}

/** Releases the calls around this one, so that a drain does not wait for them while they wait for the drain. */
export function releaseContext(storage: AsyncStorage<RunningCall> | null): void {
  for (let call = storage?.getStore(); call; call = call.outer) call.end()
}

function newCall(controller: AbortController, outer: RunningCall | undefined): RunningCall {
  let end = (): void => {}
  let isOver = false
  const over = new Promise<void>(fulfil => {
    end = () => {
      isOver = true
      fulfil()
    }
  })
  return {
    outer,
    over,
    end: () => end(),
    abort: reason => {
      if (!isOver) controller.abort(reason)
    },
  }
}
