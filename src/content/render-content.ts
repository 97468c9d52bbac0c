import { type ContentPart, type DirectivePart, isDirective } from '../index/content-record.js'
import { contentTooLarge } from './content-faults.js'
import { EXPRESSION_START } from './interpolate.js'

/** A text, its parts, and the place in which it is rendered. */
export interface Rendering<Place> {
  text: string
  parts: readonly ContentPart[]
  place: Place
}

/** The operations that rendering needs from its caller. */
interface Renderer<Place> {
  /** Runs a directive. Its result is a string, or a text with parts. */
  run: (directive: DirectivePart, inner: Inner, place: Place) => Promise<string | Rendering<Place>>
  /** Returns the place for a directive's children, with additions to their `locals`. */
  inside: (place: Place, locals: Readonly<Record<string, unknown>> | undefined) => Place
  /** Interpolates a range of a text. */
  fill: (text: string, place: Place) => string
}

/** True for a directive whose arguments are filled in when it runs. */
export function hasExpression({ arg = '', attributes = {} }: DirectivePart): boolean {
  return [arg, ...Object.values(attributes)].some(value => value.includes(EXPRESSION_START))
}

/** The content of a directive's block. */
export interface Inner {
  children?: (locals?: Readonly<Record<string, unknown>>) => Promise<string>
  else?: () => Promise<string>
}

/** Limits of one rendering. */
const LENGTH_MAX = 8 * 1024 * 1024
const DIRECTIVES_MAX = 100_000

/** Renders a text, its directives in order. Throws CONTENT_TOO_LARGE, and errors of directives. */
export async function renderContent<Place>(
  rendering: Rendering<Place>,
  renderer: Renderer<Place>,
): Promise<string> {
  let length = 0
  let directives = 0
  let texts = 0
  return render(rendering)

  function count(text: string): string {
    length += text.length
    if (length > LENGTH_MAX || Math.max(directives, texts) > DIRECTIVES_MAX)
      throw contentTooLarge(
        `The content comes to more than ${LENGTH_MAX / 1024 / 1024} Mi characters or ${DIRECTIVES_MAX} directives.`,
        'Include less, or loop over a shorter array.',
      )
    return text
  }

  async function render({ text, parts, place }: Rendering<Place>): Promise<string> {
    // An empty block has no parts to count, but takes time as well.
    texts++
    count('')
    const pieces: string[] = []
    for (const part of parts) {
      if (isDirective(part)) pieces.push(count(placed(part, await resultOf(part, text, place))))
      else pieces.push(count(renderer.fill(text.slice(...part), place)))
    }
    return pieces.join('')
  }

  async function resultOf(part: DirectivePart, text: string, place: Place): Promise<string> {
    directives++
    const { children, else: otherwise } = part
    const inner: Inner = {
      ...(children && {
        children: locals => render({ text, parts: children, place: renderer.inside(place, locals) }),
      }),
      ...(otherwise && { else: () => render({ text, parts: otherwise, place }) }),
    }
    const result = await renderer.run(part, inner, place)
    return typeof result === 'string' ? result : render(result)
  }
}

/** Indents a result: each further line is as far in as the first, in the same quote or list. */
function placed({ indent = '', line }: DirectivePart, result: string): string {
  const lines = indent === '' ? result : indented(result, indent)
  if (!line) return lines
  // An empty result removes its line, unless the line begins a list item.
  if (result === '') return /[^\s>]/.test(line.lead) ? line.lead + line.tail : ''
  return line.lead + lines + (/[\r\n]$/.test(lines) ? '' : line.tail)
}

function indented(text: string, indent: string): string {
  return text.replace(/(?:\r\n|\n|\r)(?!$)/g, (end, offset: number) => {
    const isBlank = /[\r\n]/.test(text.charAt(offset + end.length))
    return end + (isBlank ? indent.trimEnd() : indent)
  })
}
