/** A link's destination, and its offset in the text. */
interface ContentLink {
  ref: string
  offset: number
}

/** Destinations that are not relative paths: URLs, anchors, absolute paths and placeholders of templates. */
const ELSEWHERE = /^(?:[a-z][a-z\d+.-]*:|[#/\\?~])|[{}<>$*|"\n]|\.\.\.|…/i
/** The characters after a link's closing bracket, if the link may be relative. */
const MAY_BE_LOCAL = /\](?:\(\s*<?|:[ \t]*<?)(?![a-z][a-z\d+.-]*:|[#/?\s])/iy

/**
 * The relative links and images of a Markdown content, in order: `[text](scripts/run.py)`, `![](<a b.png>)`,
 * `[ref]: guide.md`, except for those in code and comments. It scans instead of parsing, in a time that is
 * linear in the length of the content.
 */
export function contentLinks(text: string, from: number, to: number): ContentLink[] {
  const content = text.slice(from, to)
  if (!mayHaveLocal(content)) return []
  const visible = withoutSpans(withoutFences(content))
  return [...inlineLinks(visible), ...definitions(visible)]
    .filter(({ ref }) => ref !== '' && !ELSEWHERE.test(ref))
    .sort((a, b) => a.offset - b.offset)
    .map(({ ref, offset }) => ({ ref: ref.replace(/\\([!-/:-@[-`{-~])/g, '$1'), offset: from + offset }))
}

/** False for content without relative links, which is most: its brackets show that. */
function mayHaveLocal(content: string): boolean {
  for (let at = content.indexOf(']'); at !== -1; at = content.indexOf(']', at + 1)) {
    MAY_BE_LOCAL.lastIndex = at
    if (MAY_BE_LOCAL.test(content)) return true
  }
  return false
}

const BRACKET = /\\[^\n]|\[|\](\(?)|\n[ \t\r]*(?=\n)/g
// Repetitions are bounded, so that a line full of beginnings of links does not take quadratic time.
const DESTINATION =
  /[ \t]*(?:<([^<>\n]{1,1000})>|([^\s<()][^\s()]*(?:\([^\s()]*\)[^\s()]*){0,4}))(?=[ \t]{0,9}\)|\s{1,9}["'(][^\n]{0,200}\))/y

function inlineLinks(content: string): ContentLink[] {
  if (!content.includes('](')) return []
  const links: ContentLink[] = []
  let open = 0
  for (const { 0: token, 1: parenthesis, index } of content.matchAll(BRACKET)) {
    if (token === '[') open++
    else if (token.startsWith('\n')) open = 0
    else if (token.startsWith(']') && open > 0) {
      open--
      const link = parenthesis ? destinationAt(content, index + 2, DESTINATION) : null
      if (link) links.push(link)
    }
  }
  return links
}

const DEFINITION = /^ {0,3}\[(?!\^)[^\][\n]+\]:(?=[ \t]*\S)/gm
const DEFINED = /[ \t]*(?:<([^<>\n]*)>|(\S+))(?=[ \t\r]*(?:["'(][^\n]*)?(?:\n|$))/y

function definitions(content: string): ContentLink[] {
  if (!content.includes(']:')) return []
  return [...content.matchAll(DEFINITION)].flatMap(
    ({ 0: label, index }) => destinationAt(content, index + label.length, DEFINED) ?? [],
  )
}

function destinationAt(content: string, at: number, pattern: RegExp): ContentLink | null {
  pattern.lastIndex = at
  const match = pattern.exec(content)
  if (match === null) return null
  const ref = match[1] ?? match[2] ?? ''
  return { ref, offset: at + match[0].indexOf(ref) }
}

const FENCE = /```|~~~/
/** A fence may be in a list or a quotation. */
const OPENING = /^(?:[ \t>]|[-*+][ \t]|\d+[.)][ \t])*(`{3,}(?=[^`]*$)|~{3,})/

/** The content with its fenced code blanked, at unchanged offsets. */
function withoutFences(content: string): string {
  if (!FENCE.test(content)) return content
  let fence: string | null = null
  return content
    .split('\n')
    .map(line => {
      const marks = FENCE.test(line) ? OPENING.exec(line)?.[1] : undefined
      if (fence === null) {
        fence = marks ?? null
        return marks === undefined ? line : blank(line)
      }
      const isClosing = marks?.startsWith(fence) && line.trimEnd().endsWith(marks)
      if (isClosing) fence = null
      return blank(line)
    })
    .join('\n')
}

/** The content with its code spans and comments blanked. */
function withoutSpans(content: string): string {
  const runs = backtickRuns(content)
  const pieces: string[] = []
  let done = 0
  let paragraphEnd = -1
  for (const { 0: token, index } of content.matchAll(/\\`|`+|<!--/g)) {
    if (index < done || token.startsWith('\\')) continue
    const isComment = token === '<!--'
    if (!isComment && paragraphEnd < index) paragraphEnd = endOfParagraph(content, index)
    const end = isComment ? content.indexOf('-->', index) : (runs.next(token.length, index) ?? -1)
    if (end === -1) {
      // No further comment is closed either.
      if (isComment) break
      continue
    }
    if (!isComment && end > paragraphEnd) continue
    pieces.push(content.slice(done, index), blank(content.slice(index, end)))
    done = end
  }
  return pieces.join('') + content.slice(done)
}

function endOfParagraph(content: string, at: number): number {
  BLANK_LINE.lastIndex = at
  return BLANK_LINE.exec(content)?.index ?? content.length
}
const BLANK_LINE = /\n[ \t\r]*\n/g

/** Finds the next run of as many backticks. Offsets must ascend, so that each run is passed once. */
function backtickRuns(content: string): { next: (length: number, after: number) => number | undefined } {
  const byLength = new Map<number, { starts: number[]; at: number }>()
  for (const { 0: run, index } of content.matchAll(/`+/g)) {
    const known = byLength.get(run.length)
    if (known) known.starts.push(index)
    else byLength.set(run.length, { starts: [index], at: 0 })
  }
  return {
    next(length, after) {
      const runs = byLength.get(length)
      while (runs && (runs.starts[runs.at] ?? Number.POSITIVE_INFINITY) <= after) runs.at++
      return runs?.starts[runs.at]
    },
  }
}

/** Spaces of the same length; line breaks stay. */
function blank(text: string): string {
  return text.includes('\n') ? text.replace(/[^\n]/g, ' ') : ' '.repeat(text.length)
}
