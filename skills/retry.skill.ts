import { type Context, ctxTarget } from 'agent-apps'
import { configFault } from './faults.js'

export const frontmatter = {
  name: 'retry',
  description: 'Tries a call again that failed with an error marked `retryable`, waiting longer each time.',
  metadata: {
    role: 'middleware',
    tags: ['meta-middleware', 'meta-metadata'],
    params: {
      description: 'How many calls in all, or more of it by name; false for none.',
      type: ['integer', 'boolean', 'object', 'null'],
      minimum: 1,
      properties: {
        attempts: { description: 'Calls in all.', type: 'integer', minimum: 1 },
        delay: { description: 'Milliseconds before the second call.', type: 'number', minimum: 0 },
        most: { description: 'The longest wait, in ms.', type: 'number', minimum: 0 },
      },
      additionalProperties: false,
    },
  },
}

interface RetryConfig {
  /** The total number of calls. */
  attempts: number
  /** The wait before the second call, in ms; it doubles with each further one. */
  delay: number
  /** The longest wait, in ms. */
  most: number
}

/** `retry: 3` (calls in all) or `retry: { attempts, delay, most }`; `false` for none. */
export default async function retry(ctx: Context, config: unknown): Promise<void> {
  if (config === false) return
  const { attempts, delay, most } = readConfig(config)
  const served = ctxTarget(ctx)
  for (let attempt = 1; ; attempt++) {
    try {
      await ctx.manager.next()
      return
    } catch (error) {
      if (attempt >= attempts || !isRetryable(error)) throw error
    }
    await sleep(Math.min(most, delay * 2 ** (attempt - 1)), served.run.signal)
  }
}

/** A wait that the signal ends. Not every host has Node's own. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done, fail) => {
    signal.throwIfAborted()
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end)
      done()
    }, ms)
    const end = (): void => {
      clearTimeout(timer)
      fail(signal.reason)
    }
    signal.addEventListener('abort', end, { once: true })
  })
}

function isRetryable(error: unknown): boolean {
  return (error as { retryable?: unknown } | null | undefined)?.retryable === true
}

function readConfig(config: unknown): RetryConfig {
  const isBare = config === true || config === null
  const given = typeof config === 'number' ? { attempts: config } : isBare ? {} : config
  const read = { attempts: 3, delay: 200, most: 10_000, ...(given as Partial<RetryConfig>) }
  const isSound =
    Number.isInteger(read.attempts) &&
    read.attempts >= 1 &&
    [read.delay, read.most].every(ms => typeof ms === 'number' && ms >= 0) &&
    Object.keys(read).length === 3
  if (typeof given === 'object' && isSound) return read
  const example = '`retry: 3`, `retry: { attempts: 3, delay: 200, most: 10000 }`'
  throw configFault('retry', 'a number of attempts or `{ attempts, delay, most }`', example)
}
