/** A text with the positions of its lines and headings, so that taking a part reads no other part. */
export interface SplitText {
  text: string
  /** The offset of each line. */
  lines: readonly number[]
  /** The first heading of each title, in lowercase. */
  headings: ReadonlyMap<string, Heading>
}

/** A heading and everything below it. */
interface Heading {
  /** The number of its line, from 0. */
  line: number
  start: number
  /** The offset of the next heading of the same or a higher rank, without blank lines before it. */
  end: number
}

interface Open extends Heading {
  rank: number
}

/** Finds the lines of a text, and its headings outside fenced code. */
export function splitText(text: string): SplitText {
  const lines = lineStarts(text)
  const headings = new Map<string, Heading>()
  const open: Open[] = []
  let fence: string | null = null
  for (const [line, start] of lines.entries()) {
    const written = text.slice(start, lines[line + 1] ?? text.length)
    const mark: string | null = /^ {0,3}(`{3,}|~{3,})/.exec(written)?.[1] ?? null
    if (fence !== null) {
      if (mark?.startsWith(fence) && written.trim() === mark) fence = null
      continue
    }
    fence = mark
    const found = mark === null ? headingIn(written.trimEnd()) : null
    if (found === null) continue
    const { rank, title } = found
    const end = text.slice(0, start).trimEnd().length
    for (let last = open.at(-1); last && last.rank >= rank; last = open.at(-1)) {
      last.end = end
      open.pop()
    }
    const heading: Open = { line, start, end: text.length, rank }
    open.push(heading)
    if (!headings.has(title)) headings.set(title, heading)
  }
  return { text, lines, headings }
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (const { 0: end, index } of text.matchAll(/\r\n|\n|\r/g)) starts.push(index + end.length)
  if (starts.length > 1 && starts.at(-1) === text.length) starts.pop()
  return starts
}

/** The rank and title (lowercase, without closing `#`) of a heading line. */
function headingIn(line: string): { rank: number; title: string } | null {
  const [lead, marks] = /^ {0,3}(#{1,6})(?=[ \t]|$)/.exec(line) ?? []
  if (lead === undefined || marks === undefined) return null
  const rest = line.slice(lead.length).replace(/^[ \t]+/, '')
  let end = rest.length
  while (rest.charAt(end - 1) === '#') end--
  const isClosed = end < rest.length && /[ \t]/.test(rest.charAt(end - 1))
  if (!isClosed) end = rest.length
  else while (/[ \t]/.test(rest.charAt(end - 1))) end--
  return { rank: marks.length, title: rest.slice(0, end).toLowerCase() }
}
