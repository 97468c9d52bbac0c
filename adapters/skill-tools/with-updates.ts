import type { Progress, RunEvents } from 'agent-apps/runtime'

/** The number of running calls by runtime and id. */
const running = new WeakMap<RunEvents, Map<string, number>>()

/**
 * Yields the progress of a call, and returns its result. Models may reuse ids in other conversations: while two calls share
 * an id, no progress is yielded.
 *
 * @throws what the call throws
 */
export async function* withUpdates(
  events: RunEvents | undefined,
  callId: string | undefined,
  call: () => Promise<unknown>,
): AsyncGenerator<Progress, unknown> {
  if (!events || callId === undefined) return call()
  const ids = running.get(events) ?? new Map<string, number>()
  running.set(events, ids)
  const count = (): number => ids.get(callId) ?? 0
  ids.set(callId, count() + 1)
  const reported: Progress[] = []
  let wake = (): void => undefined
  const stop = events.on('tool:update', event => {
    if (event.callId !== callId || count() > 1) return
    const { title, metadata, progress, total } = event
    const report = { title, metadata, progress, total }
    reported.push(JSON.parse(JSON.stringify(report)) as Progress)
    wake()
  })
  try {
    let isDone = false
    const result = call().finally(() => {
      isDone = true
      // Here, since the call may outlive the generator.
      if (count() > 1) ids.set(callId, count() - 1)
      else ids.delete(callId)
      wake()
    })
    // It is awaited below; until then, a failure must not count as unhandled.
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
