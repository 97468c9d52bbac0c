import type { DirectiveCall, DirectiveContent } from 'agent-apps'
import { directiveFault } from './faults.js'
import { type SplitText, splitText } from './split-text.js'

export const frontmatter = {
  name: 'include',
  description: 'Puts the text of a file in its place: all of it, some lines, or the part below a heading.',
  metadata: { static: true, visibility: 'hidden', tags: ['meta-directive-inline', 'meta-directive-block'] },
}

/** `:include[notes.md]`, with `{lines=2-9}` or `{section="Set up"}`. Directives in the file are run. */
export default async function include(_ctx: unknown, call: DirectiveCall): Promise<DirectiveContent> {
  const { arg = '', attributes, source } = call
  if (arg === '') throw directiveFault('the directive names no file', 'Write `:include[notes.md]`.')
  const { lines, section } = attributes
  const read = await source.readText(arg)
  const { file } = read
  const split = splitOnce(read)
  const part = section === undefined ? wholeOf(split) : below(section, split, arg)
  return {
    content: lines === undefined ? split.text.slice(part.start, part.end) : between(lines, part, split, arg),
    file,
  }
}

interface Part {
  /** The number of its first line, from 0. */
  line: number
  start: number
  end: number
}

const splits = new WeakMap<object, SplitText>()

/** Splits a file once, however many of its parts a content includes. */
function splitOnce(read: { text: string }): SplitText {
  const known = splits.get(read)
  if (known) return known
  // Without a byte order mark, and without the last line break.
  const split = splitText(read.text.replace(/^\uFEFF/, '').replace(/(?:\r\n|\n|\r)$/, ''))
  splits.set(read, split)
  return split
}

function wholeOf({ text }: SplitText): Part {
  return { line: 0, start: 0, end: text.length }
}

/** Lines `from-to` of a part, from 1; a single number is one line, and `from-` all lines from there. */
function between(written: string, part: Part, { text, lines }: SplitText, path: string): string {
  const [, from = '', dash, to = ''] = /^(\d+)(-?)(\d*)$/.exec(written.trim()) ?? []
  const count = linesBefore(part.end, lines) - part.line
  const first = Number(from)
  const last = dash ? (to === '' ? count : Number(to)) : first
  if (first < 1 || last < first || first > count) {
    throw directiveFault(
      `the lines ${JSON.stringify(written)} are not in ${JSON.stringify(path)}, which has ${count}`,
      'Write `{lines=2-9}`, `{lines=2-}` or `{lines=2}`.',
    )
  }
  const end = Math.min(lines[part.line + last] ?? text.length, part.end)
  return text.slice(lines[part.line + first - 1], end).replace(/(?:\r\n|\n|\r)$/, '')
}

/** The number of lines that start before an offset. An empty text has one. */
function linesBefore(end: number, lines: readonly number[]): number {
  let [low, high] = [1, lines.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((lines[middle] as number) < end) low = middle + 1
    else high = middle
  }
  return low
}

/** A heading and everything below it, up to the next one of the same or a higher rank. */
function below(title: string, { headings }: SplitText, path: string): Part {
  const heading = headings.get(title.trim().toLowerCase())
  if (heading) return heading
  throw directiveFault(
    `${JSON.stringify(path)} has no heading ${JSON.stringify(title)}`,
    'Write the heading’s text without its `#`.',
  )
}
