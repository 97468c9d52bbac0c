import type { Root, RootContent } from 'mdast'
import type { ContainerDirective, LeafDirective, TextDirective } from 'mdast-util-directive'
import remarkDirective from 'remark-directive'
import remarkParse from 'remark-parse'
import { type Processor, unified } from 'unified'
import { nearest } from '../../src/base/nearest.js'
import { mayBeginDirective } from '../../src/content/directive-names.js'
import type { ContentPart, ContentProblem, DirectivePart } from '../../src/index/content-record.js'
import type { DirectiveForm } from '../../src/skill/directive-forms.js'

/** The directives that are known, by name, each with the forms that it has. */
export type KnownDirectives = ReadonlyMap<string, readonly DirectiveForm[]>

/** What `parseContent` is called with, as a thread is sent it. */
export interface ParseRequest {
  text: string
  known: KnownDirectives
  firstLine: number
}

export interface ParsedContent {
  parts: ContentPart[]
  /** What is wrong with the directives, in the text's order. */
  faults: ContentProblem[]
  /** What is text, and was likely meant to be something else; in the text's order. */
  slips: ContentProblem[]
}

/** The most blocks that may lie in each other. */
const DEPTH_MAX = 32

/**
 * Finds the known directives of a Markdown text. What looks like one and is not known is text like all else, as is what
 * stands in code, HTML and links.
 *
 * @param firstLine the line of its file that the text begins with
 */
export function parseContent(text: string, known: KnownDirectives, firstLine = 1): ParsedContent {
  const { masked, fences, elseLike } = maskUnknown(text, known)
  const reading = new Reading(text, known, fences, elseLike, firstLine)
  const tooDeep = deepFence(fences)
  return tooDeep ? reading.refuse(tooDeep.offset) : reading.read(processor().parse(masked))
}

let cached: Processor<Root> | undefined

/** Emphasis takes the parser minutes on what is made for it, and keeps no directive from being one. */
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

/** A line of colons: one that opens a block, known or not, or one that closes one. */
interface Fence {
  offset: number
  kind: 'known' | 'other' | 'else' | 'close'
}

/** What begins a line, reads like `:::else`, and is text. */
interface ElseLike {
  offset: number
  written: string
}

const CANDIDATE = /(:+)([A-Za-z][A-Za-z0-9_-]*)?/g
const LINE_LEAD = /(?:^|[\r\n])[ \t>*+\-\d.)]*$/
const AUTOLINK = /<[A-Za-z][A-Za-z0-9+.-]{0,31}$/

/**
 * The text with the colons of what is no known directive made commas, so that the parser's own idea of directives
 * cannot change the rest. `:::else` becomes a leaf: it has no closing fence. Offsets stay the same.
 */
function maskUnknown(
  text: string,
  known: KnownDirectives,
): { masked: string; fences: Fence[]; elseLike: ElseLike[] } {
  const fences: Fence[] = []
  const elseLike: ElseLike[] = []
  const masked = text.replace(
    CANDIDATE,
    (written: string, colons: string, name: string | undefined, offset: number) => {
      const after = text.charAt(offset + written.length)
      const forms = name === undefined ? undefined : known.get(name)
      if (colons.length === 1) {
        if (name === undefined || AUTOLINK.test(text.slice(Math.max(0, offset - 34), offset))) return written
        const isKnown = forms?.includes('inline') && /[[{]/.test(after) && mayBeginDirective(text, offset)
        return isKnown ? written : `,${name}`
      }
      const startsLine = LINE_LEAD.test(text.slice(Math.max(0, offset - 100), offset))
      if (colons.length > 2 && startsLine) {
        const rest = restOfLine(text, offset + written.length)
        if (name === undefined && rest.trim() === '') {
          fences.push({ offset, kind: 'close' })
          return written
        }
        if (name === 'else' && rest.trim() === '' && known.get('if')?.includes('block')) {
          fences.push({ offset, kind: 'else' })
          return `${' '.repeat(colons.length - 2)}::else`
        }
        const isKnown = forms?.includes('block') === true
        if (name !== undefined) fences.push({ offset, kind: isKnown ? 'known' : 'other' })
        if (isKnown) return written
      }
      if (colons.length === 2 && startsLine && forms?.includes('block')) return written
      if (startsLine && name !== undefined && !forms && isElseLike(name)) elseLike.push({ offset, written })
      return ','.repeat(colons.length) + (name ?? '')
    },
  )
  // The parser leaves out a byte order mark, and counts from behind it.
  return { masked: masked.replace(/^\uFEFF/, '\u2060'), fences, elseLike }
}

function isElseLike(name: string): boolean {
  const word = name.toLowerCase()
  return word === 'else' || nearest(word, ['else']) !== null
}

function restOfLine(text: string, from: number): string {
  const end = text.slice(from).search(/[\r\n]/)
  return end === -1 ? text.slice(from) : text.slice(from, from + end)
}

/** The fence past which blocks lie too deep in each other. */
function deepFence(fences: readonly Fence[]): Fence | undefined {
  let depth = 0
  return fences.find(({ kind }) => {
    if (kind === 'known') depth++
    if (kind === 'close') depth = Math.max(0, depth - 1)
    return depth > DEPTH_MAX
  })
}

type DirectiveNode = TextDirective | LeafDirective | ContainerDirective

/** A range of the text, without what stands before it on its line in quotes and lists. */
type Range = readonly [start: number, end: number]

interface Said {
  offset: number
  message: string
  hint: string
}

class Reading {
  private readonly faults: Said[] = []
  private readonly slips: Said[] = []
  /** Where blocks `:::if` stand. */
  private readonly ifs: Range[] = []
  /** Where known blocks end: a lone fence after one is a mistake. */
  private readonly blockEnds: number[] = []
  private readonly closing = new Set<number>()
  /** Where each line starts. */
  private readonly lines: number[]

  constructor(
    private readonly text: string,
    private readonly known: KnownDirectives,
    private readonly fences: readonly Fence[],
    private readonly elseLike: readonly ElseLike[],
    private readonly firstLine: number,
  ) {
    this.lines = [0, ...[...text.matchAll(/\r\n|\n|\r/g)].map(({ 0: end, index }) => index + end.length)]
  }

  read(tree: Root): ParsedContent {
    const parts = this.partsOf(tree.children, [[0, this.text.length]], '')
    if (this.blockEnds.length > 0) {
      const literal = literalRanges(tree)
      this.findStrayFences(literal)
      this.findElseSlips(literal)
    }
    return this.parsed(parts)
  }

  /** What is not read, because its blocks lie too deep in each other. */
  refuse(offset: number): ParsedContent {
    const message = `more than ${DEPTH_MAX} blocks lie in each other, or are never closed`
    this.faults.push({ offset, message, hint: 'Close each with a line of `:::`.' })
    return this.parsed([[0, this.text.length]])
  }

  private parsed(parts: ContentPart[]): ParsedContent {
    return { parts, faults: this.placed(this.faults), slips: this.placed(this.slips) }
  }

  private placed(said: readonly Said[]): ContentProblem[] {
    return said
      .toSorted((one, other) => one.offset - other.offset)
      .map(({ offset, message, hint }) => {
        const [line, column] = this.placeAt(offset)
        return { message, hint, line, column }
      })
  }

  /** The parts of ranges, in which some nodes lie. `indent` is what the ranges leave out at each line's start. */
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

  /** The known directives among nodes and what lies in them, in the text's order; what lies in those is theirs. */
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
    // Brackets that are never closed are not its own: without any, it is text.
    if (isInline && end - start === node.name.length + 1) return false
    return this.known.get(node.name)?.includes(isInline ? 'inline' : 'block') === true
  }

  private partOf(node: DirectiveNode, outer: string): DirectivePart {
    const { start, end } = offsetsOf(node)
    const lineStart = this.lineStart(start)
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
      at: this.placeAt(start),
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

  /** What stands in a block, and in its other branch. */
  private blockOf(node: ContainerDirective, indent: string): Pick<DirectivePart, 'children' | 'else'> {
    const { start, end } = offsetsOf(node)
    const opening = this.lineEnd(start)
    const closing = this.lineStart(end)
    const fence = /^:+/.exec(this.text.slice(start))?.[0] ?? ''
    const closed = /(:{3,})[ \t]*$/.exec(this.text.slice(Math.max(closing, start), end))?.[1] ?? ''
    const isClosed = closing > start && closed.length >= fence.length
    if (!isClosed) {
      this.faults.push({
        offset: start,
        message: `the block \`${fence}${node.name}\` is never closed`,
        hint: `End it with a line of \`${fence}\`. A block that holds others has a longer fence than they.`,
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
    const [first, second] = [this.lineStart(elseStart), this.lineEnd(elseEnd)]
    return {
      children: this.partsOf(nodes.slice(0, divider), this.ranges(opening, first, indent), indent),
      else: this.partsOf(nodes.slice(divider + 1), this.ranges(second, bodyEnd, indent), indent),
    }
  }

  /** The lines from one line's start to another's, without what puts them into a quote or list. */
  private ranges(start: number, stop: number, indent: string): Range[] {
    if (indent === '') return start < stop ? [[start, stop]] : []
    const ranges: Range[] = []
    for (let at = start; at < stop; ) {
      const next = Math.min(this.lineEnd(at), stop)
      ranges.push([at + this.indentLength(at, next, indent), next])
      at = next
    }
    return ranges
  }

  /** How much of a line is the indent that all of them have; a line may have less of it. */
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

  /** What stands in the brackets, as it is written; an escaped bracket without its backslash. */
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
      offset: this.text.indexOf(':', this.lineStart(offsetsOf(node).start)),
      message: '`:::else` stands outside of a block `:::if`',
      hint: 'Put it on a line of its own directly inside `:::if`, before its closing `:::`.',
    })
  }

  /** A fence that closes nothing, after a known block: that was closed too early, by the fence of a block in it. */
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
          hint: 'A block that holds others has a longer fence than they: `::::if` around `:::each`.',
        })
      }
    }
  }

  /** What reads like `:::else` in a block `:::if` and is none, so that both branches are given. */
  private findElseSlips(literal: readonly Range[]): void {
    for (const { offset, written } of this.elseLike) {
      if (!isIn(this.ifs, offset) || isIn(literal, offset)) continue
      this.slips.push({
        offset,
        message: `\`${written}\` is text here, and does not begin the other branch of \`:::if\``,
        hint: 'Did you mean `:::else`? It stands alone on its line.',
      })
    }
  }

  private placeAt(offset: number): [line: number, column: number] {
    const line = this.lineOf(offset)
    return [this.firstLine + line, offset - (this.lines[line] ?? 0) + 1]
  }

  private lineStart(offset: number): number {
    return this.lines[this.lineOf(offset)] ?? 0
  }

  /** The start of the next line; of the last one, the end. */
  private lineEnd(offset: number): number {
    return this.lines[this.lineOf(offset) + 1] ?? this.text.length
  }

  /** The number of the line that an offset is in, from 0. */
  private lineOf(offset: number): number {
    let [low, high] = [0, this.lines.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((this.lines[middle] as number) <= offset) low = middle
      else high = middle
    }
    return low
  }
}

function isIn(ranges: readonly Range[], offset: number): boolean {
  return ranges.some(([start, end]) => offset >= start && offset < end)
}

/** Where code and HTML stand. */
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

/** What Markdown puts before text that lies in quotes and lists. */
const LEAD = /^[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]+|>)*[ \t]*/

/** The same for a further line: an item's mark stands on its first line only. */
function spaced(lead: string): string {
  return lead.replace(/[^>\t]/g, ' ')
}

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
