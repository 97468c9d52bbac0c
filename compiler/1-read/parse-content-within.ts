import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { KnownDirectives, ParsedContent, ParseRequest } from './parse-content.js'

/** UTF-16 units, times the levels of quotes, lists and blocks, that are parsed at once: that takes no second. */
const SHORT = 16 * 1024
/** How long a longer text may take, in ms. Most take a tenth. */
const TIME_LIMIT = 2000
const MEMORY_LIMIT_MB = 256

/** Finds the known directives of a text, as `parseContent` does, within two seconds: there are texts made to take longer. */
export async function parseContentWithin(
  text: string,
  known: KnownDirectives,
  firstLine: number,
): Promise<ParsedContent> {
  if (text.length * levelsOf(text) <= SHORT) {
    // The parser takes longer to load than most compiles take to read: few contents need it.
    const { parseContent } = await import('./parse-content.js')
    return parseContent(text, known, firstLine)
  }
  const turn = waiting.then(() => parseApart({ text, known, firstLine }))
  waiting = turn.catch(() => {})
  return turn
}

/** The thread is one for all long texts, so they take turns. */
let waiting: Promise<unknown> = Promise.resolve()
let thread: Promise<Worker> | undefined

async function parseApart(request: ParseRequest): Promise<ParsedContent> {
  const unread = (why: string): ParsedContent => {
    const message = `the content cannot be searched for directives: ${why}`
    const hint = 'Make it shorter: move parts of it into files of their own, and `:include[…]` them.'
    const fault = { message, hint, line: request.firstLine, column: 1 }
    return { parts: [[0, request.text.length]], faults: [fault] }
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    thread ??= startThread()
    const worker = await thread
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`it takes longer than ${TIME_LIMIT / 1000} s`)), TIME_LIMIT)
    })
    worker.postMessage(request)
    const [parsed] = await Promise.race([once(worker, 'message'), late])
    return parsed
  } catch (error) {
    await (await thread?.catch(() => undefined))?.terminate()
    thread = undefined
    return unread((error as Error).message)
  } finally {
    clearTimeout(timer)
  }
}

/** A thread that does not keep the process from ending, ready to parse. */
async function startThread(): Promise<Worker> {
  const worker = new Worker(new URL('./content-worker.js', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_LIMIT_MB },
  })
  await once(worker, 'message')
  worker.unref()
  return worker
}

/** What a line begins with: two characters, or a mark, for each quote and list; and a fence of a block. */
const LEAD = /^((?:[ \t]{1,2}|>|[-*+]|\d{1,9}[.)])*)(:{3,}\w?)?/gm

/** How many quotes, lists and blocks may lie in each other: every one has the parser read what it holds once more. */
function levelsOf(text: string): number {
  let blocks = 0
  let most = 0
  for (const [, lead = '', fence] of text.matchAll(LEAD)) {
    if (fence) blocks = Math.max(0, blocks + (/\w$/.test(fence) ? 1 : -1))
    most = Math.max(most, blocks + lead.length / 2)
  }
  return 1 + most
}
