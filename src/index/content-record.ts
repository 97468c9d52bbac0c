import { isStringArray } from '../base/json.js'
import { isInside } from './inside-path.js'

/** Content as ranges of its text with directives between them; text that is not a directive is copied unchanged. */
export interface ContentRecord {
  /** The text's length in UTF-16 units. The parts are invalid for a text of another length. */
  length: number
  parts: ContentPart[]
  /**
   * The files of the directory that are in `text` and `content` of its directives, except the skill's own.
   */
  inputs?: string[]
  /** The fault of its directives: it cannot be rendered. */
  problem?: ContentProblem
}

/** A range in UTF-16 units, from and to; or a directive. */
export type ContentPart = readonly [start: number, end: number] | DirectivePart

/** A directive, and the range that its result takes the place of. */
export interface DirectivePart {
  name: string
  /** UTF-16 units. */
  start: number
  end: number
  /** Line and column in its file, from 1. */
  at: readonly [line: number, column: number]
  arg?: string
  attributes?: Record<string, string>
  /** The prefix of each further line of its result, so that it stays in its quote or list. */
  indent?: string
  /** Set where it has its lines for itself. A result that is empty takes them along. */
  line?: DirectiveLine
  children?: ContentPart[]
  else?: ContentPart[]
  /** Its result, where the compiler ran it. */
  text?: string
  /** Its result, where the compiler ran it and directives are left in the result, which run when it is rendered. */
  content?: NestedContent
}

interface DirectiveLine {
  /** The text before it on its first line. */
  lead: string
  /** The line end after its last one; empty at the text's end. */
  tail: string
}

/** A text that takes a directive's place. */
export interface NestedContent {
  text: string
  parts: ContentPart[]
  /** The file that it is from, relative to the path entry. */
  file: string
  /** The fault of its directives: it has no parts then. */
  problem?: ContentProblem
}

export interface ContentProblem {
  message: string
  hint: string
  line: number
  column: number
}

export function isDirective(part: ContentPart): part is DirectivePart {
  return 'name' in part
}

/** All directives of a content, those in blocks included: in the order of its text. */
export function allDirectives(parts: readonly ContentPart[]): DirectivePart[] {
  return parts
    .filter(isDirective)
    .flatMap(part => [part, ...allDirectives(part.children ?? []), ...allDirectives(part.else ?? [])])
}

/** True for parts that fit a text: an index is untrusted. */
export function isContentOf(content: ContentRecord | undefined, text: string): content is ContentRecord {
  return content?.length === text.length && isContent(content)
}

/** True for parts that fit some text of their length. */
export function isContent(content: Partial<ContentRecord>): content is ContentRecord {
  const { length, parts, inputs = [], problem } = content
  const isOurs = isProblem(problem) && Array.isArray(inputs) && inputs.every(isInside)
  return isOurs && Number.isInteger(length) && areParts(parts, length as number)
}

/** The most blocks and included texts that may be nested. */
const DEPTH_MAX = 1000

function areParts(parts: unknown, length: number, depth = 0): boolean {
  if (!Array.isArray(parts) || depth > DEPTH_MAX) return false
  let at = 0
  return parts.every(part => {
    if (typeof part !== 'object' || part === null) return false
    const [start, end] = Array.isArray(part) ? part : [part.start, part.end]
    const isRange =
      Number.isInteger(start) && Number.isInteger(end) && at <= start && start <= end && end <= length
    at = end
    return isRange && (Array.isArray(part) || isDirectivePart(part, length, depth + 1))
  })
}

function isDirectivePart(part: DirectivePart, length: number, depth: number): boolean {
  const { name, at, arg, attributes, indent, line, children, else: otherwise, text, content } = part
  return (
    typeof name === 'string' &&
    Array.isArray(at) &&
    at.length === 2 &&
    at.every(Number.isInteger) &&
    [arg, indent, text].every(one => one === undefined || typeof one === 'string') &&
    (line === undefined || isStringArray([line?.lead, line?.tail])) &&
    (attributes === undefined || (attributes !== null && isStringArray(Object.values(attributes)))) &&
    (children === undefined || areParts(children, length, depth)) &&
    (otherwise === undefined || areParts(otherwise, length, depth)) &&
    (content === undefined ||
      (isStringArray([content?.text, content?.file]) &&
        isInside(content.file) &&
        isProblem(content.problem) &&
        areParts(content.parts, content.text.length, depth)))
  )
}

function isProblem(problem: ContentProblem | undefined): boolean {
  return !problem || (typeof problem.message === 'string' && typeof problem.hint === 'string')
}
