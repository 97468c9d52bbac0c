import type { KnownDirectives, ParsedContent } from './parse-content.js'

/** UTF-16 units, times the levels of quotes, lists and blocks, that are parsed at once: that takes no second. */
const SHORT = 16 * 1024
/** One line of so many quotes and lists in each other costs the parser little yet, and ten times as many minutes. */
const MARKS_MAX = 200

/** Finds the known directives of a text, as `parseContent` does, within bounds: there are texts made to take the parser minutes. */
export async function parseContentWithin(
  text: string,
  known: KnownDirectives,
  firstLine: number,
): Promise<ParsedContent> {
  const { marks, levels } = nestingOf(text)
  if (marks > MARKS_MAX)
    return unread(text, firstLine, `a line begins with more than ${MARKS_MAX} quotes and lists in each other`)
  if (text.length * levels <= SHORT) {
    // The parser takes longer to load than most compiles take to read: few contents need it.
    const { parseContent } = await import('./parse-content.js')
    return parseContent(text, known, firstLine)
  }
  const { parseInThread } = await import('./content-thread.js')
  return parseInThread({ text, known, firstLine }).catch(error => unread(text, firstLine, error.message))
}

function unread(text: string, line: number, why: string): ParsedContent {
  const message = `the content cannot be searched for directives: ${why}`
  const hint = 'Make it shorter: move parts of it into files of their own, and `:include[…]` them.'
  return { parts: [[0, text.length]], faults: [{ message, hint, line, column: 1 }], slips: [] }
}

/** What a line begins with: two characters, or a mark, for each quote and list; and a fence of a block. */
const LEAD = /^((?:[ \t]{1,2}|>|[-*+]|\d{1,9}[.)])*)(:{3,}\w?)?/gm

/**
 * How many quotes, lists and blocks may lie in each other: every one has the parser read what it holds once more. Of the
 * marks of quotes and lists, the most on one line.
 */
function nestingOf(text: string): { marks: number; levels: number } {
  let blocks = 0
  let levels = 1
  let marks = 0
  for (const [, lead = '', fence] of text.matchAll(LEAD)) {
    if (fence) blocks = Math.max(0, blocks + (/\w$/.test(fence) ? 1 : -1))
    levels = Math.max(levels, 1 + blocks + lead.length / 2)
    marks = Math.max(marks, lead.replace(/\s+/g, '').length)
  }
  return { marks, levels }
}
