import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { ContentWork } from '../../src/content/content-work.js'
import type { ParsedContent, ParseRequest } from './parse-content.js'

/** The longest that parsing a text may take by the clock, in ms. */
const TIME_LIMIT = 30_000
/** How often both limits are checked, in ms. */
const INTERVAL = 100
const MEMORY_LIMIT_MB = 256

type Work = Pick<ContentWork, 'computing'>

let waiting: Promise<unknown> = Promise.resolve()
let thread: Promise<Worker> | undefined

/**
 * Parses a text in a thread, which is ended if it takes too long. There is one thread, so texts take turns.
 *
 * @param work the computing time that is left, which is reduced by the time used. It is not the time by the
 *   clock, so that a text gives the same index on a busy machine
 * @throws an error that says why the thread was ended
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
    // No time is left for the rest of the content either: each text of it would start a thread, and end it
    // again.
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

/**
 * Starts to measure the computing time of a thread, in ms: the lesser of the time that it was busy and the
 * time that the process computed.
 */
function computing(worker: Worker): () => number {
  const before = process.cpuUsage()
  const busyBefore = worker.performance.eventLoopUtilization()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return Math.min((user + system) / 1000, worker.performance.eventLoopUtilization(busyBefore).active)
  }
}

/** Starts a thread that is ready to parse, and does not keep the process from ending. */
async function startThread(): Promise<Worker> {
  const worker = new Worker(new URL('./content-worker.js', import.meta.url), {
    // Options and environment of this process may not suit a thread, and must not influence an index.
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_LIMIT_MB },
  })
  await once(worker, 'message')
  worker.unref()
  return worker
}
