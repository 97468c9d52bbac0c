import type { Root, RootContent } from 'mdast'
import type { ContainerDirective, LeafDirective, TextDirective } from 'mdast-util-directive'
import remarkDirective from 'remark-directive'
import remarkParse from 'remark-parse'
import { type Processor, unified } from 'unified'
import type { ContentPart, ContentProblem, DirectivePart } from '../../src/index/content-record.js'
import { type ElseLike, type Fence, type KnownDirectives, maskUnknown } from './mask-unknown.js'
import { TextLines } from './text-lines.js'

export type { KnownDirectives } from './mask-unknown.js'

/** The arguments of `parseContent`, as they are sent to a thread. */
export interface ParseRequest {
  text: string
  known: KnownDirectives
  firstLine: number
}

export interface ParsedContent {
  parts: ContentPart[]
  faults: ContentProblem[]
  /** Text that resembles a directive, in order. */
  slips: ContentProblem[]
}

const DEPTH_MAX = 32
/** The parser takes a few hundredths of a millisecond for each of them, and some memory. */
const DIRECTIVES_MAX = 10_000

/**
 * Finds the known directives of a Markdown text. Unknown directives are text, as is everything in
 * code, HTML and links.
 *
 * @param firstLine the line of its file that the text begins with
 */
export function parseContent(text: string, known: KnownDirectives, firstLine = 1): ParsedContent {
  const { masked, starts, fences, elseLike } = maskUnknown(text, known)
  const reading = new Reading(text, known, fences, elseLike, new TextLines(text, firstLine))
  const tooMany = starts[DIRECTIVES_MAX]
  if (tooMany !== undefined)
    return reading.refuse({
      offset: tooMany,
      message: `the text has more than ${DIRECTIVES_MAX.toLocaleString('en')} directives`,
      hint: 'Make it shorter, or include parts of it from other files.',
    })
  const tooDeep = deepFence(fences)
  if (tooDeep)
    return reading.refuse({
      offset: tooDeep.offset,
      message: `more than ${DEPTH_MAX} blocks are nested, or are never closed`,
      hint: 'Close each with a line of `:::`.',
    })
  return reading.read(processor().parse(masked))
}

let cached: Processor<Root> | undefined

/** Emphasis is switched off: no directive needs it, and hostile texts make it take minutes. */
function processor(): Processor<Root> {
  cached ??= unified()
    .use(remarkParse)
    .use(remarkDirective)
    .use(function withoutEmphasis() {
      const data = this.data() as { micromarkExtensions?: unknown[] }
      data.micromarkExtensions ??= []
      data.micromarkExtensions.push({ disable: { null: ['attention'] } })
    })
    .freeze() as unknown as Processor<Root>
  return cached
}

function deepFence(fences: readonly Fence[]): Fence | undefined {
  let depth = 0
  return fences.find(({ kind }) => {
    if (kind === 'known') depth++
    if (kind === 'close') depth = Math.max(0, depth - 1)
    return depth > DEPTH_MAX
  })
}

type DirectiveNode = TextDirective | LeafDirective | ContainerDirective

/** A range of the text, without the marks of quotes and lists before it on its line. */
type Range = readonly [start: number, end: number]

/** A fault or a slip, at its offset. */
interface Found {
  offset: number
  message: string
  hint: string
}

class Reading {
  private readonly faults: Found[] = []
  private readonly slips: Found[] = []
  private readonly ifs: Range[] = []
  /** The ends of known blocks: a fence after one that closes nothing is a mistake. */
  private readonly blockEnds: number[] = []
  /** The offsets of fences that close a block. */
  private readonly closing = new Set<number>()

  constructor(
    private readonly text: string,
    private readonly known: KnownDirectives,
    private readonly fences: readonly Fence[],
    private readonly elseLike: readonly ElseLike[],
    private readonly lines: TextLines,
  ) {}

  read(tree: Root): ParsedContent {
    const parts = this.partsOf(tree.children, [[0, this.text.length]], '')
    if (this.blockEnds.length > 0) {
      const literal = literalRanges(tree)
      this.findStrayFences(literal)
      this.findElseSlips(literal)
    }
    return this.parsed(parts)
  }

  /** The result for a text without directives, which is not parsed. */
  refuse(fault: Found): ParsedContent {
    this.faults.push(fault)
    return this.parsed([[0, this.text.length]])
  }

  private parsed(parts: ContentPart[]): ParsedContent {
    return { parts, faults: this.placed(this.faults), slips: this.placed(this.slips) }
  }

  private placed(found: readonly Found[]): ContentProblem[] {
    return found
      .toSorted((one, other) => one.offset - other.offset)
      .map(({ offset, message, hint }) => {
        const [line, column] = this.lines.placeOf(offset)
        return { message, hint, line, column }
      })
  }

  /** The parts of ranges that contain the given nodes. `indent` is omitted by the ranges on each line. */
  private partsOf(nodes: readonly RootContent[], ranges: readonly Range[], indent: string): ContentPart[] {
    const parts: ContentPart[] = []
    const directives = this.directivesIn(nodes).map(node => this.partOf(node, indent))
    let next = 0
    for (const [start, end] of ranges) {
      let at = start
      for (; next < directives.length; next++) {
        const directive = directives[next] as DirectivePart
        if (directive.start >= end) break
        if (directive.start > at) parts.push([at, directive.start])
        parts.push(directive)
        at = directive.end
      }
      const last = directives[next - 1]
      const from = last ? Math.max(at, last.end) : at
      if (from < end) parts.push([from, end])
    }
    return joined(parts)
  }

  /** The outermost known directives among nodes and their descendants, in the order of the text. */
  private directivesIn(nodes: readonly RootContent[]): DirectiveNode[] {
    const found: DirectiveNode[] = []
    const waiting = [...nodes].reverse()
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      if (isDirectiveNode(node) && node.name === 'else') this.strayElse(node)
      else if (isDirectiveNode(node) && this.isKnown(node)) found.push(node)
      else if ('children' in node)
        for (const child of [...(node.children as RootContent[])].reverse()) waiting.push(child)
    }
    return found
  }

  private isKnown(node: DirectiveNode): boolean {
    const { start, end } = offsetsOf(node)
    const isInline = node.type === 'textDirective'
    // Without closed brackets, an inline directive is text.
    if (isInline && end - start === node.name.length + 1) return false
    return this.known.get(node.name)?.includes(isInline ? 'inline' : 'block') === true
  }

  private partOf(node: DirectiveNode, outer: string): DirectivePart {
    const { start, end } = offsetsOf(node)
    const lineStart = this.lines.startOf(start)
    const lead = this.text.slice(lineStart, start)
    const inner = node.type === 'textDirective' ? (LEAD.exec(lead)?.[0] ?? '') : lead
    const indent = spaced(inner)
    const ownIndent = indent.startsWith(outer) ? indent.slice(outer.length) : indent
    const attributes = Object.entries(node.attributes ?? {}).map(([key, value]) => [key, value ?? ''])
    const arg = this.argOf(node, start)
    const part: DirectivePart = {
      name: node.name,
      start,
      end,
      at: this.lines.placeOf(start),
      ...(arg !== undefined && { arg }),
      ...(attributes.length > 0 && { attributes: Object.fromEntries(attributes) }),
      ...(ownIndent !== '' && { indent: ownIndent }),
    }
    if (node.type === 'textDirective') return part
    const tail = /^(?:\r\n|\n|\r)?/.exec(this.text.slice(end, end + 2))?.[0] ?? ''
    const from = Math.min(start, lineStart + outer.length)
    const line = { lead: this.text.slice(from, start), tail }
    const placed: DirectivePart = { ...part, start: from, end: end + tail.length, line }
    return node.type === 'leafDirective' ? placed : { ...placed, ...this.blockOf(node, indent) }
  }

  /** The parts in a block, and in its other branch. */
  private blockOf(node: ContainerDirective, indent: string): Pick<DirectivePart, 'children' | 'else'> {
    const { start, end } = offsetsOf(node)
    const opening = this.lines.nextStart(start)
    const closing = this.lines.startOf(end)
    const fence = /^:+/.exec(this.text.slice(start))?.[0] ?? ''
    const closed = /(:{3,})[ \t]*$/.exec(this.text.slice(Math.max(closing, start), end))?.[1] ?? ''
    const isClosed = closing > start && closed.length >= fence.length
    if (!isClosed) {
      this.faults.push({
        offset: start,
        message: `the block \`${fence}${node.name}\` is never closed`,
        hint: `End it with a line of \`${fence}\`. A block around others has a longer fence.`,
      })
    } else this.closing.add(this.text.lastIndexOf(closed, end))
    this.blockEnds.push(end)
    if (node.name === 'if') this.ifs.push([start, end])
    const bodyEnd = isClosed ? closing : end
    const nodes = node.children.filter(child => !isLabel(child)) as RootContent[]
    const divider = node.name === 'if' ? nodes.findIndex(isElse) : -1
    if (divider === -1)
      return { children: this.partsOf(nodes, this.ranges(opening, bodyEnd, indent), indent) }
    const { start: elseStart, end: elseEnd } = offsetsOf(nodes[divider] as RootContent)
    const [first, second] = [this.lines.startOf(elseStart), this.lines.nextStart(elseEnd)]
    return {
      children: this.partsOf(nodes.slice(0, divider), this.ranges(opening, first, indent), indent),
      else: this.partsOf(nodes.slice(divider + 1), this.ranges(second, bodyEnd, indent), indent),
    }
  }

  /** The lines from one offset to another, without the marks that put them into a quote or list. */
  private ranges(start: number, stop: number, indent: string): Range[] {
    if (indent === '') return start < stop ? [[start, stop]] : []
    const ranges: Range[] = []
    for (let at = start; at < stop; ) {
      const next = Math.min(this.lines.nextStart(at), stop)
      ranges.push([at + this.indentLength(at, next, indent), next])
      at = next
    }
    return ranges
  }

  /** How many characters of a line belong to the common indent; a line may have less of it. */
  private indentLength(start: number, end: number, indent: string): number {
    let length = 0
    while (length < indent.length && start + length < end) {
      const written = this.text.charAt(start + length)
      const isSame =
        written === indent.charAt(length) || (/[ \t]/.test(written) && indent.charAt(length) === ' ')
      if (!isSame) break
      length++
    }
    return length
  }

  /** The text in the brackets, as written, except that brackets are unescaped; undefined without them. */
  private argOf({ name }: DirectiveNode, start: number): string | undefined {
    const colons = /^:+/.exec(this.text.slice(start, start + 100))?.[0].length ?? 0
    const opening = start + colons + name.length
    if (this.text.charAt(opening) !== '[') return undefined
    let depth = 0
    for (let at = opening; at < this.text.length; at++) {
      const character = this.text.charAt(at)
      if (character === '\\') at++
      else if (character === '[') depth++
      else if (character === ']' && --depth === 0)
        return this.text
          .slice(opening + 1, at)
          .replace(/\\([[\]\\])/g, '$1')
          .trim()
    }
    return undefined
  }

  private strayElse(node: DirectiveNode): void {
    this.faults.push({
      offset: this.text.indexOf(':', this.lines.startOf(offsetsOf(node).start)),
      message: '`:::else` is outside of a block `:::if`',
      hint: 'Put it on its own line directly inside `:::if`, before its closing `:::`.',
    })
  }

  /** Finds fences that close nothing: the fence of a block inside a known block closed that one too early. */
  private findStrayFences(literal: readonly Range[]): void {
    const firstEnd = this.blockEnds.reduce((least, end) => Math.min(least, end))
    let others = 0
    for (const { offset, kind } of this.fences) {
      if (this.closing.has(offset) || isIn(literal, offset)) continue
      if (kind === 'other') others++
      if (kind !== 'close') continue
      if (others > 0) others--
      else if (offset >= firstEnd) {
        this.faults.push({
          offset,
          message: 'this fence closes nothing: the block before it has ended already',
          hint: 'A block around others has a longer fence: `::::if` around `:::each`.',
        })
      }
    }
  }

  /** Finds text in `:::if` that resembles `:::else` but is not, so that both branches would be rendered. */
  private findElseSlips(literal: readonly Range[]): void {
    for (const { offset, written } of this.elseLike) {
      if (!isIn(this.ifs, offset) || isIn(literal, offset)) continue
      this.slips.push({
        offset,
        message: `\`${written}\` is text here, and does not begin the other branch of \`:::if\``,
        hint: 'Did you mean `:::else`? It must be alone on its line.',
      })
    }
  }
}

function isIn(ranges: readonly Range[], offset: number): boolean {
  return ranges.some(([start, end]) => offset >= start && offset < end)
}

/** The ranges of code and HTML. */
function literalRanges(tree: Root): Range[] {
  const ranges: Range[] = []
  const waiting: RootContent[] = [...tree.children]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const { start, end } = offsetsOf(node)
    if (node.type === 'code' || node.type === 'html') ranges.push([start, end])
    else if ('children' in node) for (const child of node.children as RootContent[]) waiting.push(child)
  }
  return ranges
}

/** The marks of quotes and lists at the start of a line. */
const LEAD = /^[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]+|>)*[ \t]*/

/** The lead of a block's further lines: there, spaces take the place of a list item's mark. */
function spaced(lead: string): string {
  return lead.replace(/[^>\t]/g, ' ')
}

/** The parts with adjacent ranges made one. */
function joined(parts: readonly ContentPart[]): ContentPart[] {
  const all: ContentPart[] = []
  for (const part of parts) {
    const last = all.at(-1)
    if (last && !('name' in last) && !('name' in part) && last[1] === part[0])
      all[all.length - 1] = [last[0], part[1]]
    else all.push(part)
  }
  return all
}

function isDirectiveNode(node: RootContent): node is DirectiveNode {
  return node.type === 'textDirective' || node.type === 'leafDirective' || node.type === 'containerDirective'
}

function isElse(node: RootContent): boolean {
  return node.type === 'leafDirective' && node.name === 'else'
}

function isLabel(node: { type: string; data?: object | undefined }): boolean {
  return (
    node.type === 'paragraph' &&
    (node.data as { directiveLabel?: boolean } | undefined)?.directiveLabel === true
  )
}

function offsetsOf({ position }: RootContent): { start: number; end: number } {
  return { start: position?.start.offset ?? 0, end: position?.end.offset ?? 0 }
}
