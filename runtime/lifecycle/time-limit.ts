/** Settles as a promise does, or after some milliseconds as `fallback` does. A later failure of the promise is ignored. */
export function withinTime<Value, Fallback>(
  promise: Promise<Value>,
  milliseconds: number,
  fallback: () => Fallback | Promise<Fallback>,
): Promise<Value | Fallback> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<Fallback>(fulfil => {
    timer = setTimeout(() => fulfil(fallback()), milliseconds)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** Settles as a promise does, or rejects with the reason of a signal once that aborts. */
export async function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  let stop = (): void => {}
  const aborted = new Promise<never>((_, refuse) => {
    stop = () => refuse(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop)
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Calls `late` after some milliseconds, pauses not counted. */
export class Clock {
  private timer: ReturnType<typeof setTimeout> | undefined
  private pauses = 0
  private began = 0
  private isStopped = false

  constructor(
    private readonly late: () => void,
    private left: number,
  ) {
    this.go()
  }

  /** Pauses the clock while some work is done. */
  async pausedFor<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.pauses++ === 0) {
      clearTimeout(this.timer)
      this.left -= performance.now() - this.began
    }
    try {
      return await work()
    } finally {
      if (--this.pauses === 0) this.go()
    }
  }

  stop(): void {
    this.isStopped = true
    clearTimeout(this.timer)
  }

  private go(): void {
    if (this.isStopped) return
    this.began = performance.now()
    this.timer = setTimeout(this.late, this.left)
  }
}
