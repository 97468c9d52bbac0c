/**
 * Globs over tool names and argument values: `*`, `?`, `[a-z]`, `{a,b}`, `**`, `!(a|b)`. A glob compiles to a
 * small program, plain data that an index can hold, and matching steps through it: the time is at most the
 * program's length times the text's, whatever the pattern. Where picomatch accepts the same pattern, both agree
 * (its `dot: true`).
 */

/** One step of a program. Numbers are positions in the program. */
export type GlobStep =
  | ['char', string]
  /** Any character but `/`. */
  | ['any']
  /** Any character. */
  | ['all']
  /** One of these ranges of characters, or with `true` none of them; never `/`. */
  | ['set', boolean, [from: string, to: string][]]
  | ['split', number, number]
  | ['jump', number]
  | ['match']

/** A compiled glob: what the text is, or for `!(…)` what its middle, between a fixed beginning and end, is not. */
export type GlobProgram =
  | { steps: GlobStep[]; not?: never }
  | { not: GlobStep[]; prefix: string; suffix: string; steps?: never }

/** What a text is not a glob for. `offset` is where in the text. */
export class GlobProblem extends Error {
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message)
  }
}

/** Steps of a program; braces in braces grow it, so it is bounded. */
const STEPS_MAX = 2000
const DEPTH_MAX = 8

/**
 * Compiles a glob.
 *
 * @throws GlobProblem
 */
export function compileGlob(glob: string): GlobProgram {
  if (glob === '') throw new GlobProblem('the pattern is empty', 0)
  const negation = /^((?:[^*?[\]{}()!\\,|]|\\.)*)!\(/.exec(glob)
  if (negation) return compileNegation(glob, negation[1] ?? '')
  const reader: Reader = { glob, at: 0, depth: 0, steps: [] }
  readSequence(reader, '')
  if (reader.at < glob.length) throw new GlobProblem(`"${glob[reader.at]}" stands alone`, reader.at)
  emit(reader, ['match'])
  return { steps: reader.steps }
}

/** True where a program matches the whole of a text. `count`, where given, gets the number of steps taken. */
export function matchGlob(program: GlobProgram, text: string, count?: { steps: number }): boolean {
  if (program.steps) return run(program.steps, text, count)
  const { prefix, suffix, not } = program
  const fits =
    text.length >= prefix.length + suffix.length && text.startsWith(prefix) && text.endsWith(suffix)
  return fits && !run(not, text.slice(prefix.length, text.length - suffix.length), count)
}

/** True for a text that is a glob rather than just itself. */
export function isGlob(text: string): boolean {
  return /[*?[\]{}!\\]/.test(text)
}

/** `prefix!(a|b)suffix`: everything between prefix and suffix but what the alternatives match. */
function compileNegation(glob: string, prefix: string): GlobProgram {
  const open = prefix.length + 1
  const close = glob.indexOf(')', open)
  if (close === -1) throw new GlobProblem('"!(" is not closed', prefix.length)
  const suffix = glob.slice(close + 1)
  const wild = /[*?[\]{}()!]/.exec(suffix)
  if (wild)
    throw new GlobProblem(`after "!(…)" only plain text may follow, not "${wild[0]}"`, close + 1 + wild.index)
  const inner = glob.slice(open + 1, close)
  const nested = /[()]/.exec(inner)
  if (nested) throw new GlobProblem('"(" inside "!(…)" is not supported', open + 1 + nested.index)
  const reader: Reader = { glob: inner, at: 0, depth: 0, steps: [] }
  readAlternatives(reader, '|', '')
  emit(reader, ['match'])
  return { not: reader.steps, prefix: unescaped(prefix), suffix: unescaped(suffix) }
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, '$1')
}

interface Reader {
  glob: string
  at: number
  /** Braces that are open. */
  depth: number
  steps: GlobStep[]
}

function emit(reader: Reader, step: GlobStep): number {
  if (reader.steps.length >= STEPS_MAX) throw new GlobProblem('the pattern is too large', reader.at)
  return reader.steps.push(step) - 1
}

/** Reads up to the end of the glob, or to one of the characters in `ends`. */
function readSequence(reader: Reader, ends: string): void {
  for (;;) {
    const { glob, at } = reader
    const character = glob[at]
    if (character === undefined || ends.includes(character)) return
    if (character === '*') readStars(reader)
    else if (character === '?') single(reader, ['any'])
    else if (character === '[') readSet(reader)
    else if (character === '{') readBraces(reader)
    else if (character === '\\') readEscape(reader)
    else if ('()!'.includes(character)) refuse(reader, character)
    else if (character === '}' && reader.depth === 0) throw new GlobProblem('"}" closes nothing', at)
    else if (glob.startsWith('/**', at) && (at + 3 === glob.length || glob[at + 3] === '/'))
      readGlobstar(reader)
    else single(reader, ['char', character])
  }
}

function refuse({ at }: Reader, character: string): never {
  const why =
    character === '!'
      ? '"!" negates only as "!(…)"; to deny, write ($deny)'
      : `"${character}" is not supported here`
  throw new GlobProblem(why, at)
}

function single(reader: Reader, step: GlobStep): void {
  emit(reader, step)
  reader.at++
}

/** `*` within a segment; `**` as a whole segment is any number of segments. */
function readStars(reader: Reader): void {
  const { glob, at } = reader
  let end = at
  while (glob[end] === '*') end++
  const isSegment =
    end - at > 1 && (at === 0 || glob[at - 1] === '/') && (end === glob.length || glob[end] === '/')
  reader.at = end
  if (!isSegment) repeat(reader, ['any'])
  else if (end === glob.length) repeat(reader, ['all'])
  else {
    // `**/x` is x at any depth, none included.
    reader.at++
    optional(reader, () => {
      repeat(reader, ['all'])
      emit(reader, ['char', '/'])
    })
  }
}

/** A slash with `**` behind it: at the end the directory itself and all below it, else any depth, none included. */
function readGlobstar(reader: Reader): void {
  reader.at += 3
  if (reader.at === reader.glob.length) {
    optional(reader, () => {
      emit(reader, ['char', '/'])
      repeat(reader, ['all'])
    })
    return
  }
  emit(reader, ['char', '/'])
  reader.at++
  optional(reader, () => {
    repeat(reader, ['all'])
    emit(reader, ['char', '/'])
  })
}

function repeat(reader: Reader, step: GlobStep): void {
  const start = emit(reader, ['split', 0, 0])
  emit(reader, step)
  emit(reader, ['jump', start])
  reader.steps[start] = ['split', start + 1, reader.steps.length]
}

function optional(reader: Reader, body: () => void): void {
  const start = emit(reader, ['split', 0, 0])
  body()
  reader.steps[start] = ['split', start + 1, reader.steps.length]
}

/** `[a-z]`, `[!a-z]`, `[^a-z]`. */
function readSet(reader: Reader): void {
  const { glob, at } = reader
  if (/^\[\[?[:.=]/.test(glob.slice(at)))
    throw new GlobProblem('classes like [[:alpha:]] are not supported', at)
  const close = glob.indexOf(']', at + 2)
  if (close === -1) throw new GlobProblem('"[" is not closed', at)
  const isNegated = '!^'.includes(glob[at + 1] ?? ' ')
  const characters = [...glob.slice(at + (isNegated ? 2 : 1), close)]
  const ranges: [string, string][] = []
  while (characters.length > 0) {
    const from = nextOf(characters)
    const isRange = characters[0] === '-' && characters.length > 1
    if (isRange) characters.shift()
    const to = isRange ? nextOf(characters) : from
    if (from > to) throw new GlobProblem(`the range ${from}-${to} is empty`, at)
    ranges.push([from, to])
  }
  if (ranges.length === 0) throw new GlobProblem('"[]" holds nothing', at)
  emit(reader, ['set', isNegated, ranges])
  reader.at = close + 1
}

/** The next character of a set, an escaped one without its backslash. */
function nextOf(characters: string[]): string {
  const next = characters.shift() ?? ''
  return next === '\\' ? (characters.shift() ?? next) : next
}

function readBraces(reader: Reader): void {
  const { glob, at } = reader
  if (reader.depth >= DEPTH_MAX) throw new GlobProblem(`braces nest deeper than ${DEPTH_MAX}`, at)
  const close = closingBrace(glob, at)
  if (close === -1) throw new GlobProblem('"{" is not closed', at)
  const inner = glob.slice(at + 1, close)
  if (/\.\./.test(inner))
    throw new GlobProblem('ranges in braces are not supported; write [a-c] or {a,b,c}', at)
  if (!inner.includes(',')) throw new GlobProblem('braces need at least two alternatives', at)
  reader.at++
  reader.depth++
  readAlternatives(reader, ',', '}')
  reader.depth--
  reader.at++
}

function closingBrace(glob: string, open: number): number {
  let depth = 0
  for (let at = open; at < glob.length; at++) {
    if (glob[at] === '\\') at++
    else if (glob[at] === '{') depth++
    else if (glob[at] === '}' && --depth === 0) return at
  }
  return -1
}

/** Alternatives up to `end`: each is tried from the same place, and all go on behind the last. */
function readAlternatives(reader: Reader, separator: string, end: string): void {
  const exits: number[] = []
  for (;;) {
    const start = emit(reader, ['split', 0, 0])
    readSequence(reader, separator + end)
    const isLast = reader.glob[reader.at] !== separator
    if (isLast) {
      // Nothing follows to try instead, so the split has one way only.
      reader.steps[start] = ['jump', start + 1]
      break
    }
    reader.at++
    exits.push(emit(reader, ['jump', 0]))
    reader.steps[start] = ['split', start + 1, reader.steps.length]
  }
  for (const exit of exits) reader.steps[exit] = ['jump', reader.steps.length]
}

function readEscape(reader: Reader): void {
  const escaped = reader.glob[reader.at + 1]
  if (escaped === undefined) throw new GlobProblem('"\\" escapes nothing', reader.at)
  emit(reader, ['char', escaped])
  reader.at += 2
}

/** Steps through a program with all its ways at once, so that no way is taken twice at one place of the text. */
function run(steps: readonly GlobStep[], text: string, count?: { steps: number }): boolean {
  let current = reach(steps, [0], count)
  for (const character of characters(text)) {
    const next: number[] = []
    for (const at of current) {
      const step = steps[at]
      if (step && accepts(step, character)) next.push(at + 1)
    }
    if (next.length === 0) return false
    current = reach(steps, next, count)
  }
  return current.some(at => steps[at]?.[0] === 'match')
}

/** UTF-16 units, as picomatch and the names' own rule count. */
function characters(text: string): Iterable<string> {
  return text.split('')
}

/** The positions that can be reached without taking a character. */
function reach(steps: readonly GlobStep[], from: readonly number[], count?: { steps: number }): number[] {
  const seen = new Set<number>()
  const open = [...from]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at)) continue
    seen.add(at)
    if (count) count.steps++
    const step = steps[at]
    if (step?.[0] === 'split') open.push(step[1], step[2])
    else if (step?.[0] === 'jump') open.push(step[1])
  }
  return [...seen]
}

function accepts(step: GlobStep, character: string): boolean {
  switch (step[0]) {
    case 'char':
      return step[1] === character
    case 'any':
      return character !== '/'
    case 'all':
      return true
    case 'set':
      return (
        character !== '/' && step[2].some(([from, to]) => from <= character && character <= to) !== step[1]
      )
    default:
      return false
  }
}
