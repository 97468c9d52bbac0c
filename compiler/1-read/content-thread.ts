import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { ParsedContent, ParseRequest } from './parse-content.js'

/**
 * How much computing a text may take, in ms. By the clock it may take longer: on a busy machine the same text must not
 * become another index.
 */
const COMPUTING_LIMIT = 2000
/** Where the clock ends it after all, in ms. */
const TIME_LIMIT = 30_000
/** How often both are looked at, in ms. */
const INTERVAL = 100
const MEMORY_LIMIT_MB = 256

let waiting: Promise<unknown> = Promise.resolve()
let thread: Promise<Worker> | undefined

/**
 * Parses a text in a thread, which is ended where it takes too long. There is one thread, so texts take turns.
 *
 * @throws an error that says why it was ended
 */
export function parseInThread(request: ParseRequest): Promise<ParsedContent> {
  const turn = waiting.then(() => parse(request))
  waiting = turn.catch(() => {})
  return turn
}

async function parse(request: ParseRequest): Promise<ParsedContent> {
  thread ??= startThread()
  const worker = await thread
  let timer: ReturnType<typeof setInterval> | undefined
  try {
    const tooLong = new Promise<never>((_, reject) => {
      const spent = computing(worker)
      const started = performance.now()
      timer = setInterval(() => {
        if (spent() > COMPUTING_LIMIT || performance.now() - started > TIME_LIMIT)
          reject(new Error(`it takes longer than ${COMPUTING_LIMIT / 1000} s`))
      }, INTERVAL)
    })
    worker.postMessage(request)
    const [parsed] = await Promise.race([once(worker, 'message'), tooLong])
    return parsed
  } catch (error) {
    thread = undefined
    await worker.terminate()
    throw error
  } finally {
    clearInterval(timer)
  }
}

/** Tells how long a thread has computed since, in ms, as far as that can be known: no longer than it was busy, nor than the process computed. */
function computing(worker: Worker): () => number {
  const before = process.cpuUsage()
  const busyBefore = worker.performance.eventLoopUtilization()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return Math.min((user + system) / 1000, worker.performance.eventLoopUtilization(busyBefore).active)
  }
}

/** A thread that does not keep the process from ending, ready to parse. */
async function startThread(): Promise<Worker> {
  const worker = new Worker(new URL('./content-worker.js', import.meta.url), {
    // What this process was started with may be nothing for a thread, and must not show in an index.
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_LIMIT_MB },
  })
  await once(worker, 'message')
  worker.unref()
  return worker
}
