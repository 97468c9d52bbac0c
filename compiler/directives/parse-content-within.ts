import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { ContentWork } from '../../src/content/content-work.js'
import type { KnownDirectives, ParsedContent, ParseRequest } from './parse-content.js'

/** The longest that parsing one text may take by the clock, in ms. */
const TIME_LIMIT = 30_000
/** How often both limits are checked, in ms. */
const INTERVAL = 100
const MEMORY_LIMIT_MB = 256

/** Such a line takes the parser little time. A line with ten times as many marks takes it minutes. */
const MARKS_MAX = 200
const TOO_MANY_MARKS = new RegExp(String.raw`^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])){${MARKS_MAX + 1}}`, 'm')

/**
 * Finds the known directives of a text, as `parseContent` does, but within bounds: the parser takes seconds
 * for some texts of a few thousand characters, so all are parsed in a thread, which is terminated if it takes too
 * long. There is one thread, so texts take turns.
 *
 * @param work the computing time left for the content that the text belongs to, which is reduced by
 *   the time used. It is not the time by the clock, so that a text gives the same index on a busy machine
 */
export async function parseContentWithin(
  text: string,
  known: KnownDirectives,
  firstLine: number,
  work: Pick<ContentWork, 'computing'> = new ContentWork(),
): Promise<ParsedContent> {
  if (TOO_MANY_MARKS.test(text))
    return unread(text, firstLine, `a line begins with more than ${MARKS_MAX} quotes and lists in each other`)
  const turn = waiting.then(() => parseInThread({ text, known, firstLine }, work))
  waiting = turn.catch(() => {})
  return turn.catch(error => unread(text, firstLine, error.message))
}

let waiting: Promise<unknown> = Promise.resolve()
let thread: Promise<Worker> | undefined

function unread(text: string, line: number, why: string): ParsedContent {
  const message = `the content cannot be searched for directives: ${why}`
  const hint = 'Shorten it and the files that it includes.'
  return { parts: [[0, text.length]], faults: [{ message, hint, line, column: 1 }], slips: [] }
}

/** @throws an error with the reason why the thread was terminated */
async function parseInThread(
  request: ParseRequest,
  work: Pick<ContentWork, 'computing'>,
): Promise<ParsedContent> {
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
    // No time is left for the rest of the content either: each text of it would start a thread and end it
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
