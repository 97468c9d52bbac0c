import { Worker } from 'node:worker_threads'
import { type KnownDirectives, type ParsedContent, parseContent } from './parse-content.js'

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
  if (text.length * levelsOf(text) <= SHORT) return parseContent(text, known, firstLine)
  const worker = new Worker(new URL('./content-worker.js', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_LIMIT_MB },
  })
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    return await new Promise<ParsedContent>(settle => {
      const fail = (why: string): void => settle(unread(text, firstLine, why))
      worker.on('error', error => fail(error.message))
      worker.on('message', (answer: ParsedContent | 'ready') => {
        if (answer !== 'ready') return settle(answer)
        timer = setTimeout(() => fail(`it takes longer than ${TIME_LIMIT / 1000} s`), TIME_LIMIT)
        worker.postMessage({ text, known, firstLine })
      })
    })
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
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

function unread(text: string, line: number, why: string): ParsedContent {
  const message = `the content cannot be searched for directives: ${why}`
  const hint = 'Make it shorter: move parts of it into files of their own, and `:include[…]` them.'
  return { parts: [[0, text.length]], faults: [{ message, hint, line, column: 1 }] }
}
