import { AgentAppsError, nearest } from 'agent-apps'
import { lineEnding, withLineEnding } from './line-endings.js'

/** A replacement of a text in a file. */
export interface Edit {
  old: string
  new: string
  /** True to replace every occurrence. */
  all?: boolean
}

/**
 * The most work of one call, in characters. A few edits of every occurrence could otherwise exceed the memory, and block the
 * process for minutes.
 */
const WORK_MAX = 32_000_000
/** The work for an occurrence, in characters. */
const PLACE_WORK = 4

/**
 * Applies edits one after the other, all of them or none. A line break in an edit matches that of the file.
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
  let repeated = 0
  let work = 0
  for (const [index, edit] of edits.entries()) {
    const which = edits.length > 1 ? `Edit ${index + 1} of ${edits.length}: ` : ''
    const room = WORK_MAX - work - repeated
    const made = replaceOne(now, edit, { ending, room }, message => failed(path, which, message))
    now = made.text
    replaced += made.count
    // The following edits search the inserted text, too.
    repeated += made.repeated
    work += made.count * PLACE_WORK + repeated
  }
  return { text: now, replaced }
}

function failed(path: string, which: string, { text, hint }: { text: string; hint: string }): AgentAppsError {
  return new AgentAppsError('EDIT_FAILED', `${which}${text}. ${path} was not changed.`, { hint, file: path })
}

function replaceOne(
  text: string,
  { old, new: wanted, all = false }: Edit,
  { ending, room }: { ending: '\n' | '\r\n'; room: number },
  failure: (message: { text: string; hint: string }) => AgentAppsError,
): { text: string; count: number; repeated: number } {
  if (old === wanted) throw failure({ text: 'The old and the new text are the same', hint: 'Leave it out.' })
  const found = [old, withLineEnding(old, '\r\n'), withLineEnding(old, '\n')].find(one => text.includes(one))
  if (found === undefined) throw failure(absent(text, old))
  const put = ending === '\r\n' ? withLineEnding(wanted, ending) : wanted
  const count = placesIn(text, found, room / PLACE_WORK)
  if (count > 1 && !all) throw failure(ambiguous(text.split(found), found))
  const repeated = (count - 1) * Math.max(0, put.length - found.length)
  if (count * PLACE_WORK + repeated > room) throw failure(TOO_MUCH)
  // Joins millions of occurrences at once.
  return { text: text.split(found).join(put), count, repeated }
}

const TOO_MUCH = {
  text: 'The edits replace or add too much at once',
  hint: 'Make fewer of them per call, or write the whole file.',
}

/** The number of occurrences of a text in another one, counted up to one more than `most`. */
function placesIn(text: string, found: string, most: number): number {
  let count = 0
  for (let at = text.indexOf(found); at !== -1 && count <= most; at = text.indexOf(found, at + found.length))
    count++
  return count
}

const PLACES_SHOWN = 10

/** @param pieces the parts of the file between the occurrences */
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

/** The most lines to compare for a hint, and the most comparisons. */
const LINES_COMPARED = 20_000
const COMPARISONS = 1_000_000

function absent(text: string, old: string): { text: string; hint: string } {
  const problem = 'The text to be replaced is not in the file'
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
      text: `${problem} with this white space. Line ${same + 1} differs only in that`,
      hint: 'Quote it exactly as `read` shows it behind the tab.',
    }
  }
  const near = first === '' ? -1 : nearestLine(first, trimmed)
  if (near === -1) return { text: problem, hint: 'Read the file again, and quote it exactly.' }
  return {
    text: `${problem}. Line ${near + 1} is the most similar: ${JSON.stringify((lines[near] ?? '').slice(0, LINE_COMPARED))}`,
    hint: 'Read the file there, and quote it exactly.',
  }
}

/** The most characters and lines to search for the most similar line, which takes a few milliseconds. */
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
