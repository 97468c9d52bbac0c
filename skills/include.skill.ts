import type { DirectiveCall, DirectiveContent } from 'agent-apps'
import { directiveFault } from './directive-fault.js'

export const frontmatter = {
  name: 'include',
  description: 'Puts the text of a file in its place: all of it, some lines, or the part below a heading.',
  metadata: {
    static: true,
    visibility: 'hidden',
    tags: ['meta-directive-inline', 'meta-directive-block'],
  },
}

/** `:include[notes.md]`, `:include[notes.md]{lines=2-9}`, `:include[notes.md]{section="Set up"}`. Its own directives count. */
export default async function include(_ctx: unknown, call: DirectiveCall): Promise<DirectiveContent> {
  const { arg = '', attributes, source } = call
  if (arg === '') throw directiveFault('the directive names no file', 'Write `:include[notes.md]`.')
  const { lines, section } = attributes
  const { text, file } = await source.readText(arg)
  // A byte order mark, and the line end of the last line, are the file's own.
  const whole = text.replace(/^\uFEFF/, '').replace(/(?:\r\n|\n|\r)$/, '')
  const part = section === undefined ? whole : below(section, whole, arg)
  return { content: lines === undefined ? part : between(lines, part, arg), file }
}

/** Lines `from-to`, from 1, both counted; one number is that line, and `from-` all from there. */
function between(lines: string, text: string, path: string): string {
  const [, from = '', dash, to = ''] = /^(\d+)(-?)(\d*)$/.exec(lines.trim()) ?? []
  const all = text.split(/(?<=\r\n|\n|\r(?!\n))/)
  const first = Number(from)
  const last = dash ? (to === '' ? all.length : Number(to)) : first
  if (first < 1 || last < first || first > all.length) {
    throw directiveFault(
      `the lines ${JSON.stringify(lines)} are not in ${JSON.stringify(path)}, which has ${all.length}`,
      'Write `{lines=2-9}`, `{lines=2-}` or `{lines=2}`.',
    )
  }
  return all
    .slice(first - 1, last)
    .join('')
    .replace(/(?:\r\n|\n|\r)$/, '')
}

/** A heading and all below it, up to the next one that is not of a lower rank. */
function below(title: string, text: string, path: string): string {
  const wanted = title.trim().toLowerCase()
  const lines = text.split(/(?<=\r\n|\n|\r(?!\n))/)
  let fence: string | null = null
  let start = -1
  let rank = 0
  for (const [index, line] of lines.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? null
    if (fence !== null) {
      const closes = mark?.startsWith(fence) && line.trim() === mark
      if (closes) fence = null
      continue
    }
    if (mark !== null) {
      fence = mark
      continue
    }
    const [, marks = '', heading = ''] =
      /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/.exec(line.trimEnd()) ?? []
    if (marks === '') continue
    if (start !== -1 && marks.length <= rank) return lines.slice(start, index).join('').trimEnd()
    if (start === -1 && heading.toLowerCase() === wanted) {
      start = index
      rank = marks.length
    }
  }
  if (start !== -1) return lines.slice(start).join('')
  throw directiveFault(
    `${JSON.stringify(path)} has no heading ${JSON.stringify(title)}`,
    'Write the heading’s text without its `#`.',
  )
}
