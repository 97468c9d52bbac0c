import { AgentAppsError, nearest } from 'agent-apps'
import { lineEnding, withLineEnding } from './line-endings.js'

/** One change: a text that is in the file, and what takes its place. */
export interface Edit {
  old: string
  new: string
  /** Whether every occurrence is replaced. */
  all?: boolean
}

/**
 * Makes changes one after the other, each of what the ones before it made; all of them, or none. A line break
 * of a change means the file's.
 *
 * @param path for messages
 * @throws EDIT_FAILED
 */
export function replaceText(
  text: string,
  edits: readonly Edit[],
  path: string,
): { text: string; replaced: number } {
  const ending = lineEnding(text)
  let now = text
  let replaced = 0
  for (const [index, edit] of edits.entries()) {
    const which = edits.length > 1 ? `Edit ${index + 1} of ${edits.length}: ` : ''
    const made = replaceOne(now, edit, ending, message => failed(path, which, message))
    now = made.text
    replaced += made.count
  }
  return { text: now, replaced }
}

type Failure = (message: { text: string; hint: string }) => AgentAppsError

function failed(path: string, which: string, { text, hint }: { text: string; hint: string }): AgentAppsError {
  return new AgentAppsError('EDIT_FAILED', `${which}${text}. ${path} was not changed.`, { hint, file: path })
}

function replaceOne(
  text: string,
  { old, new: wanted, all = false }: Edit,
  ending: '\n' | '\r\n',
  failure: Failure,
): { text: string; count: number } {
  if (old === wanted) throw failure({ text: 'The old and the new text are the same', hint: 'Leave it out.' })
  const found = [old, withLineEnding(old, '\r\n'), withLineEnding(old, '\n')].find(one => text.includes(one))
  if (found === undefined) throw failure(absent(text, old))
  // Millions of places are put together at once, and not one by one.
  const pieces = text.split(found)
  const count = pieces.length - 1
  if (count > 1 && !all) throw failure(ambiguous(pieces, found))
  const put = ending === '\r\n' ? withLineEnding(wanted, ending) : wanted
  return { text: pieces.join(put), count }
}

const PLACES_SHOWN = 10

/** @param pieces of the file, between which the text is */
function ambiguous(pieces: readonly string[], found: string): { text: string; hint: string } {
  const lines: number[] = []
  let line = 1
  for (const piece of pieces.slice(0, Math.min(PLACES_SHOWN, pieces.length - 1))) {
    line += breaksIn(piece)
    lines.push(line)
    line += breaksIn(found)
  }
  const count = pieces.length - 1
  const more = count > PLACES_SHOWN ? ', …' : ''
  return {
    text: `The text to be replaced occurs ${count} times, on lines ${lines.join(', ')}${more}`,
    hint: 'Quote more of what is around it, or set `all` to replace every occurrence.',
  }
}

function breaksIn(text: string): number {
  return text.split('\n').length - 1
}

/** At most so many lines are compared for a hint, so many times altogether. */
const LINES_COMPARED = 20_000
const COMPARISONS = 1_000_000

function absent(text: string, old: string): { text: string; hint: string } {
  const said = 'The text to be replaced is not in the file'
  const wanted = old.split('\n').map(line => line.trim())
  const first = wanted.find(line => line !== '') ?? ''
  const lines = text.split('\n', LINES_COMPARED)
  const trimmed = lines.map(line => line.trim())
  let left = COMPARISONS
  const same = trimmed.findIndex((_, at) =>
    wanted.every((line, offset) => left-- > 0 && trimmed[at + offset] === line),
  )
  if (same !== -1 && first !== '') {
    return {
      text: `${said} with this white space. Line ${same + 1} differs only in that`,
      hint: 'Quote it exactly as `read` shows it behind the tab.',
    }
  }
  const near = first === '' ? -1 : nearestLine(first, trimmed)
  if (near === -1) return { text: said, hint: 'Read the file again, and quote it exactly as it is.' }
  return {
    text: `${said}. Line ${near + 1} is the most similar: ${JSON.stringify((lines[near] ?? '').slice(0, LINE_COMPARED))}`,
    hint: 'Read the file there, and quote it exactly as it is.',
  }
}

/** So many characters of so many lines are compared more closely, which takes a few milliseconds. */
const LINE_COMPARED = 80
const LINES_NEAR = 1000

function nearestLine(first: string, trimmed: readonly string[]): number {
  const exact = trimmed.indexOf(first)
  if (exact !== -1) return exact
  const candidates = trimmed.filter(line => line !== '').slice(0, LINES_NEAR)
  const near = nearest(
    first.slice(0, LINE_COMPARED),
    new Set(candidates.map(line => line.slice(0, LINE_COMPARED))),
  )
  return near === null ? -1 : trimmed.findIndex(line => line.slice(0, LINE_COMPARED) === near)
}
