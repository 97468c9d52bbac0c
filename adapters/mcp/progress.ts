import { AsyncLocalStorage } from 'node:async_hooks'
import type { ServerContext } from '@modelcontextprotocol/server'
import type { Runtime } from 'agent-apps'

/** The request that what runs now belongs to: an event says of its call only an id that nobody else knows. */
const requests = new AsyncLocalStorage<ServerContext>()

/** Makes a call, and hands on what the tool reports of its progress to a client that wants it. */
export async function withProgress(
  runtime: Runtime,
  ctx: ServerContext,
  call: () => Promise<unknown>,
): Promise<unknown> {
  const { _meta, notify } = ctx.mcpReq
  const progressToken = _meta?.progressToken
  if (progressToken === undefined) return call()
  let last = -1
  const sent: Promise<void>[] = []
  const stop = runtime.globals.events.on('tool:update', ({ progress, total, title }) => {
    if (requests.getStore() !== ctx) return
    // Progress must grow with each notification.
    const next = progress ?? (total === undefined ? Math.max(last, 0) + 1 : last)
    if (!(next > last)) return
    last = next
    const params = {
      ...{ progressToken, progress: next },
      ...(total !== undefined && { total }),
      ...(title !== undefined && { message: title }),
    }
    sent.push(
      notify({ method: 'notifications/progress', params }).catch(() => {
        // The client is gone; the signal of the request ends the call.
      }),
    )
  })
  try {
    return await requests.run(ctx, call)
  } finally {
    stop()
    await Promise.all(sent)
  }
}
