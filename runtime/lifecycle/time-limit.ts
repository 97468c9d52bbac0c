/**
 * What a promise gives, or after a time `fallback`. What is not waited for any more goes on, and its failure
 * is nobody's.
 */
export function withinTime<Value, Fallback>(
  promise: Promise<Value>,
  milliseconds: number,
  fallback: () => Fallback,
): Promise<Value | Fallback> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<Fallback>(fulfil => {
    timer = setTimeout(() => fulfil(fallback()), milliseconds)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** What a promise gives, or the reason of a signal as soon as that aborts. */
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
