import { AgentAppsError, type Context, ctxTarget } from 'agent-apps'
import { configFault } from './faults.js'

export const frontmatter = {
  name: 'timeout',
  description: 'Ends a call that takes longer than a number of milliseconds.',
  metadata: {
    role: 'middleware',
    tags: ['meta-middleware', 'meta-metadata'],
    params: {
      description: 'Milliseconds; false for none.',
      type: ['number', 'boolean', 'object'],
      not: { const: true },
      exclusiveMinimum: 0,
      maximum: 2147483647,
      properties: { ms: { type: 'number', exclusiveMinimum: 0, maximum: 2147483647 } },
      required: ['ms'],
    },
  },
}

/** The longest wait that a timer can be set for, in ms. */
const LONGEST = 2 ** 31 - 1
/** The longest wait for a tool's code to load, in ms. Loading does not count as the tool's time. */
const LOADING = 30_000

/** `timeout: 5000` or `timeout: { ms: 5000 }`; `false` for none. After that time, `run.signal` aborts. */
export default async function timeout(ctx: Context, config: unknown): Promise<void> {
  if (config === false) return
  const served = ctxTarget(ctx)
  const ms = milliseconds(config)
  const { name, def } = served.run.tool
  await loaded(def.load)
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new AgentAppsError('TOOL_TIMEOUT', `"${name}" did not finish within ${ms} ms.`, {
        hint: 'Give it more time in `metadata.timeout`, or less to do.',
        tool: name,
      })
      controller.abort(error)
      reject(error)
    }, ms)
  })
  // A rejection before the race below awaits it must not count as unhandled.
  late.catch(() => {})
  try {
    served.run.signal = controller.signal
    await Promise.race([ctx.manager.next(), late])
  } finally {
    clearTimeout(timer)
  }
}

/** Waits for the code to load. A failure is repeated when the tool runs, inside middleware that may handle it. */
async function loaded(load: (() => Promise<unknown>) | undefined): Promise<void> {
  if (!load) return
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>(resolve => {
    timer = setTimeout(resolve, LOADING)
  })
  await Promise.race([load().catch(() => {}), late])
  clearTimeout(timer)
}

function milliseconds(config: unknown): number {
  const ms = typeof config === 'object' && config !== null ? (config as { ms?: unknown }).ms : config
  if (typeof ms === 'number' && ms > 0 && ms <= LONGEST) return ms
  throw configFault('timeout', 'a number of milliseconds', '`timeout: 5000`')
}
