import { type Context, ctxHookTarget, ctxTarget } from 'agent-apps'
import { configFault } from './faults.js'

export const frontmatter = {
  name: 'trace',
  description:
    'Keeps how long each middleware of a call and the tool took, as OpenTelemetry spans where that is present.',
  metadata: {
    role: 'middleware',
    $hook: '$next',
    tags: ['meta-middleware', 'meta-metadata'],
    params: { description: 'False for none.', type: ['boolean', 'null'] },
  },
}

/** The time of one part of a call, including everything inside it. */
export interface TraceEntry {
  /** The middleware, or the tool. */
  name: string
  /** The tool that was called. */
  tool: string
  /** Milliseconds since the epoch. */
  start: number
  /** In ms. */
  duration: number
  /** The message of the error that it threw. */
  error?: string
}

interface Tracer {
  startActiveSpan: <Result>(name: string, options: object, run: (span: Span) => Result) => Result
}
interface Span {
  recordException: (error: Error) => void
  setStatus: (status: { code: number; message?: string }) => void
  end: () => void
}

/** OpenTelemetry's `SpanStatusCode.ERROR`. */
const STATUS_ERROR = 2

/**
 * `trace: true`; `false` for none. The entries of a call are in the tool's `ctx.locals.trace`, in the order in which they
 * ended: the tool first. They are also nested spans.
 */
export default async function trace(ctx: Context, config: unknown): Promise<void> {
  if (config === false) return
  if (config !== true && config !== null) throw configFault('trace', '`true` or `false`', '`trace: true`')
  const served = ctxTarget(ctx)
  const tool = served.run.tool.name
  const name = ctxHookTarget(ctx) ?? tool
  const entries = entriesOf(served)
  const tracer = await tracerOf()
  const entry: TraceEntry = { name, tool, start: Date.now(), duration: 0 }
  const began = performance.now()
  const work = async (span?: Span): Promise<void> => {
    try {
      await ctx.manager.next()
    } catch (error) {
      entry.error = error instanceof Error ? error.message : String(error)
      if (error instanceof Error) span?.recordException(error)
      span?.setStatus({ code: STATUS_ERROR, message: entry.error })
      throw error
    } finally {
      entry.duration = performance.now() - began
      entries.push(entry)
      span?.end()
    }
  }
  const attributes = { 'agent_apps.tool': tool, 'agent_apps.run': served.run.id }
  await (tracer ? tracer.startActiveSpan(name, { attributes }, work) : work())
}

function entriesOf({ locals }: Context): TraceEntry[] {
  if (!Array.isArray(locals.trace)) locals.trace = []
  return locals.trace as TraceEntry[]
}

/** A name that bundlers do not follow, since most applications do not use it. */
const TELEMETRY = ['@opentelemetry', 'api'].join('/')

let loading: Promise<Tracer | null> | undefined

function tracerOf(): Promise<Tracer | null> {
  loading ??= import(TELEMETRY).then(
    ({ trace: api }: { trace: { getTracer: (name: string) => Tracer } }) => api.getTracer('agent-apps'),
    () => null,
  )
  return loading
}
