import { ContentWork } from '../../src/content/content-work.js'
import { parseInThread } from './content-thread.js'
import type { KnownDirectives, ParsedContent } from './parse-content.js'

/** Such a line takes the parser little time; one with ten times as many marks takes it minutes. */
const MARKS_MAX = 200

/**
 * Finds the known directives of a text, as `parseContent` does, but within bounds: the parser takes seconds
 * for some texts of a few thousand characters, so all are parsed in a thread.
 *
 * @param work the computing time that is left for the content that the text belongs to
 */
export async function parseContentWithin(
  text: string,
  known: KnownDirectives,
  firstLine: number,
  work: Pick<ContentWork, 'computing'> = new ContentWork(),
): Promise<ParsedContent> {
  if (marksOf(text) > MARKS_MAX)
    return unread(text, firstLine, `a line begins with more than ${MARKS_MAX} quotes and lists in each other`)
  return parseInThread({ text, known, firstLine }, work).catch(error =>
    unread(text, firstLine, error.message),
  )
}

function unread(text: string, line: number, why: string): ParsedContent {
  const message = `the content cannot be searched for directives: ${why}`
  const hint = 'Make it shorter, and what it includes.'
  return { parts: [[0, text.length]], faults: [{ message, hint, line, column: 1 }], slips: [] }
}

/** The blanks and the marks of quotes and lists that a line begins with. */
const LEAD = /^(?:[ \t]+|>|[-*+]|\d{1,9}[.)])+/gm

/** The largest number of marks of quotes and lists on one line. */
function marksOf(text: string): number {
  let marks = 0
  for (const [lead] of text.matchAll(LEAD)) marks = Math.max(marks, lead.replace(/\s+/g, '').length)
  return marks
}
