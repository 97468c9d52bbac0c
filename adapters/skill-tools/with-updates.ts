import type { Progress, RunEvents } from 'agent-apps/runtime'

interface Storage {
  getStore: () => object | undefined
  run: <Result>(value: object, work: () => Result) => Result
}

interface Host {
  process?: {
    getBuiltinModule?: (name: string) => { AsyncLocalStorage?: new () => Storage } | undefined
  }
}

/**
 * Yields what a call's tool reports of its progress, and returns the call's result. Where the host has no
 * `AsyncLocalStorage`, reports of calls that run at the same time cannot be told apart, and only the result is given.
 *
 * @throws what the call throws
 */
export async function* withUpdates(
  events: RunEvents | undefined,
  call: () => Promise<unknown>,
): AsyncGenerator<Progress, unknown> {
  const { AsyncLocalStorage } = (globalThis as Host).process?.getBuiltinModule?.('node:async_hooks') ?? {}
  if (!events || !AsyncLocalStorage) return call()
  const storage = new AsyncLocalStorage()
  const own = {}
  const reported: Progress[] = []
  let wake = (): void => undefined
  const stop = events.on('tool:update', ({ parent, title, metadata, progress, total }) => {
    // What the tools report that this one calls is not its own progress.
    if (parent !== undefined || storage.getStore() !== own) return
    const report = { title, metadata, progress, total }
    reported.push(JSON.parse(JSON.stringify(report)) as Progress)
    wake()
  })
  try {
    let isDone = false
    const result = storage.run(own, call).finally(() => {
      isDone = true
      wake()
    })
    // It is awaited below; until then, a failure must not count as one that nobody handles.
    result.catch(() => undefined)
    for (;;) {
      yield* reported.splice(0)
      if (isDone) break
      await new Promise<void>(resolve => {
        wake = resolve
        if (isDone || reported.length > 0) resolve()
      })
    }
    return await result
  } finally {
    stop()
  }
}
