import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { ContentWork } from '../../src/content/content-work.js'
import type { ParsedContent, ParseRequest } from './parse-content.js'

/** Where the clock ends a text after all, in ms. */
const TIME_LIMIT = 30_000
/** How often both are looked at, in ms. */
const INTERVAL = 100
const MEMORY_LIMIT_MB = 256

type Work = Pick<ContentWork, 'computing'>

let waiting: Promise<unknown> = Promise.resolve()
let thread: Promise<Worker> | undefined

/**
 * Parses a text in a thread, which is ended where it takes too long. There is one thread, so texts take turns.
 *
 * @param work how much computing is left: it is taken off. By the clock it may take longer: on a busy machine the same text
 *   must not become another index
 * @throws an error that says why it was ended
 */
export function parseInThread(request: ParseRequest, work: Work): Promise<ParsedContent> {
  const turn = waiting.then(() => parse(request, work))
  waiting = turn.catch(() => {})
  return turn
}

async function parse(request: ParseRequest, work: Work): Promise<ParsedContent> {
  if (work.computing <= 0) throw tooLong()
  thread ??= startThread()
  const worker = await thread
  const spent = computing(worker)
  const started = performance.now()
  let timer: ReturnType<typeof setInterval> | undefined
  try {
    const late = new Promise<never>((_, reject) => {
      timer = setInterval(() => {
        if (spent() > work.computing || performance.now() - started > TIME_LIMIT) reject(tooLong())
      }, INTERVAL)
    })
    worker.postMessage(request)
    const [parsed] = await Promise.race([once(worker, 'message'), late])
    work.computing -= spent()
    return parsed
  } catch (error) {
    // Nor has anything else of the content any: each would have a thread started, and ended again.
    work.computing = 0
    thread = undefined
    await worker.terminate()
    throw error
  } finally {
    clearInterval(timer)
  }
}

function tooLong(): Error {
  return new Error('it takes too long')
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
