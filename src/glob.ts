/**
 * Globs over tool names and argument values: `*`, `?`, `[a-z]`, `[^a]`, `{a,b}`, `**`, `!(a|b)`. A glob compiles to a
 * small program, plain data that an index can hold, and matching steps through it: the time is at most the
 * program's length times the text's, whatever the pattern. On names, which hold no empty, `.` or `..` segment,
 * it agrees with picomatch (its `dot: true`); what picomatch reads as a piece of regular expression is refused.
 */

/** One step of a program. Numbers are positions in the program. */
export type GlobStep =
  | ['char', string]
  /** Any character but `/`. */
  | ['any']
  /** Any character. */
  | ['all']
  /** One of these ranges of characters, or with `true` none of them and no `/`. */
  | ['set', boolean, [from: string, to: string][]]
  | ['split', number, number]
  | ['jump', number]
  | ['match']

/** A compiled glob: what the text is, or for `!(…)` what its end, behind a fixed beginning, is not. */
export type GlobProgram =
  | { steps: GlobStep[]; not?: never; prefix?: never }
  | { not: GlobStep[]; prefix: string; steps?: never }

/** What a text is not a glob for. `offset` is where in the text. */
export class GlobProblem extends Error {
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message)
  }
}

const LENGTH_MAX = 1000
/** Steps of a program. */
const STEPS_MAX = 2000
const DEPTH_MAX = 8

/**
 * Compiles a glob.
 *
 * @throws GlobProblem
 */
export function compileGlob(glob: string): GlobProgram {
  if (glob === '') throw new GlobProblem('the pattern is empty', 0)
  if (glob.length > LENGTH_MAX) throw new GlobProblem(`the pattern is longer than ${LENGTH_MAX}`, 0)
  const negation = /^((?:[^*?[\]{}()!\\,|/]|\\.)*)!\(/.exec(glob)
  if (negation) return compileNegation(glob, negation[1] ?? '')
  const reader: Reader = { glob, at: 0, depth: 0, steps: [], globstars: [] }
  readSequence(reader, '')
  emit(reader, ['match'])
  for (const { at, behind } of reader.globstars) {
    if (run(reader.steps, '', { from: behind }))
      throw new GlobProblem('what follows "/**/" may not be empty', at)
  }
  return { steps: reader.steps }
}

export interface MatchOptions {
  /** Lets `*` and `?` stand for `/` too. */
  acrossSlashes?: boolean
  /** Gets the number of steps taken. */
  count?: { steps: number }
}

/** True where a program matches the whole of a text. */
export function matchGlob(program: GlobProgram, text: string, options: MatchOptions = {}): boolean {
  if (program.steps) return run(program.steps, text, options)
  const { prefix, not } = program
  if (!text.startsWith(prefix)) return false
  const rest = text.slice(prefix.length)
  return (options.acrossSlashes || !rest.includes('/')) && !run(not, rest, options)
}

/** True for a text that is a glob rather than just itself. */
export function isGlob(text: string): boolean {
  return /[*?[\]{}!\\]/.test(text)
}

/** `prefix!(a|b)`: what begins so and does not go on as one of the alternatives, within a segment. */
function compileNegation(glob: string, prefix: string): GlobProgram {
  const open = prefix.length + 2
  const close = glob.indexOf(')', open)
  if (close === -1) throw new GlobProblem('"!(" is not closed', prefix.length)
  if (close < glob.length - 1) throw new GlobProblem('nothing may follow "!(…)"', close + 1)
  const inner = glob.slice(open, close)
  const refused = /[(/?]|\*\*/.exec(inner)
  if (refused) throw new GlobProblem(`"${refused[0]}" inside "!(…)" is not supported`, open + refused.index)
  const reader: Reader = { glob: inner, at: 0, depth: 0, steps: [], globstars: [] }
  try {
    readAlternatives(reader, '|', '')
  } catch (error) {
    throw error instanceof GlobProblem ? new GlobProblem(error.message, error.offset + open) : error
  }
  emit(reader, ['match'])
  return { not: reader.steps, prefix: unescaped(prefix) }
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
  /** Where each `/**` with something behind it stands, and the step that follows it. */
  globstars: { at: number; behind: number }[]
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
    else if ('()!|}'.includes(character) || glob.startsWith('++', at)) refuse(reader, character)
    else if (glob.startsWith('/**', at) && (at + 3 === glob.length || glob[at + 3] === '/'))
      readGlobstar(reader)
    else single(reader, ['char', character])
  }
}

function refuse({ at }: Reader, character: string): never {
  const why: Record<string, string> = {
    '!': '"!" negates only as "!(…)" at the end; to deny, write ($deny)',
    '+': '"++" is not supported',
    '|': '"|" separates only inside "!(…)"; write {a,b}',
    '}': '"}" closes nothing',
  }
  throw new GlobProblem(why[character] ?? `"${character}" is not supported here`, at)
}

function single(reader: Reader, step: GlobStep): void {
  emit(reader, step)
  reader.at++
}

/** `*` within a segment; `**` as a whole segment is any number of segments. */
function readStars(reader: Reader): void {
  const { glob, at } = reader
  if (glob[at + 1] !== '*') {
    repeat(reader, ['any'])
    reader.at++
    return
  }
  const isSegment = at === 0 || (glob[at - 1] === '/' && glob[at + 2] !== '*')
  const isLast = at + 2 === glob.length
  if (!isSegment || !(isLast || glob[at + 2] === '/') || reader.depth > 0)
    throw new GlobProblem('"**" stands only for whole segments, outside braces', at)
  reader.at += isLast ? 2 : 3
  if (isLast) repeat(reader, ['all'])
  else {
    // `**/x` is x at any depth, none included.
    optional(reader, () => {
      repeat(reader, ['all'])
      emit(reader, ['char', '/'])
    })
  }
}

/** A slash with `**` behind it: at the end the directory itself and all below it, else any depth, none included. */
function readGlobstar(reader: Reader): void {
  const { glob, at } = reader
  reader.at += 3
  if (reader.at === glob.length) {
    const below = (): void => {
      emit(reader, ['char', '/'])
      repeat(reader, ['all'])
    }
    // As picomatch has it, `a*/**` is only what lies below.
    if (glob[at - 1] === '*' && glob[at - 2] !== '\\') below()
    else optional(reader, below)
    return
  }
  emit(reader, ['char', '/'])
  reader.at++
  optional(reader, () => {
    repeat(reader, ['all'])
    emit(reader, ['char', '/'])
  })
  reader.globstars.push({ at, behind: reader.steps.length })
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

/** `[a-z]`, `[^a-z]`: those characters, or all but those and `/`. */
function readSet(reader: Reader): void {
  const { glob, at } = reader
  if (glob[at + 1] === '!') throw new GlobProblem('write [^…] for all other characters, or [\\!…]', at)
  const [whole, negation = '', content = ''] = /^\[(\^?)((?:[^\]\\]|\\[^\w])+)\]/.exec(glob.slice(at)) ?? []
  if (whole === undefined) throw new GlobProblem('"[" is not closed, or holds nothing', at)
  if (content.includes('[')) throw new GlobProblem('"[" inside "[…]" is not supported; write \\[', at)
  const units = content.match(/\\.|./gs) ?? []
  const ranges: [string, string][] = []
  for (let unit = units.shift(); unit !== undefined; unit = units.shift()) {
    const from = unescaped(unit)
    const isRange = units[0] === '-' && units.length > 1
    const to = isRange ? unescaped(units.splice(0, 2)[1] ?? '') : from
    if (from > to) throw new GlobProblem(`the range ${from}-${to} is empty`, at)
    ranges.push([from, to])
  }
  emit(reader, ['set', negation !== '', ranges])
  reader.at += whole.length
  if (glob[reader.at] === '+') throw new GlobProblem('"+" behind "]" is not supported', reader.at)
}

function readBraces(reader: Reader): void {
  const { glob, at } = reader
  if (reader.depth >= DEPTH_MAX) throw new GlobProblem(`braces nest deeper than ${DEPTH_MAX}`, at)
  const close = closingBrace(glob, at)
  if (close === -1) throw new GlobProblem('"{" is not closed', at)
  const inner = glob.slice(at + 1, close)
  if (/\.\./.test(inner))
    throw new GlobProblem('ranges in braces are not supported; write [a-c] or {a,b,c}', at)
  reader.at++
  reader.depth++
  const alternatives = readAlternatives(reader, ',', '}')
  if (alternatives < 2) throw new GlobProblem('braces need at least two alternatives', at)
  reader.depth--
  reader.at++
  if (glob[reader.at] === '+') throw new GlobProblem('"+" behind "}" is not supported', reader.at)
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

/** Alternatives up to `end`, and how many: each is tried from the same place, and all go on behind the last. */
function readAlternatives(reader: Reader, separator: string, end: string): number {
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
  return exits.length + 1
}

function readEscape(reader: Reader): void {
  const escaped = reader.glob[reader.at + 1]
  if (escaped === undefined || /\w/.test(escaped))
    throw new GlobProblem('"\\" escapes only signs, not letters or digits', reader.at)
  emit(reader, ['char', escaped])
  reader.at += 2
}

/**
 * Steps through a program with all its ways at once, so that no way is taken twice at one place of the text.
 * Characters are UTF-16 units.
 */
function run(
  steps: readonly GlobStep[],
  text: string,
  { acrossSlashes = false, count, from = 0 }: MatchOptions & { from?: number },
): boolean {
  /** For each position of the program, the place in the text (from 1) where it was last reached. */
  const reached = new Uint32Array(steps.length)
  const open: number[] = []
  let current: number[] = []
  let next: number[] = []
  reach(from, current, 1)
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    for (const position of current) {
      const step = steps[position]
      if (step && accepts(step, character, acrossSlashes)) reach(position + 1, next, at + 2)
    }
    if (next.length === 0) return false
    ;[current, next] = [next, current]
    next.length = 0
  }
  return current.some(position => steps[position]?.[0] === 'match')

  /** Adds the positions that can be reached from one without taking a character. */
  function reach(start: number, positions: number[], place: number): void {
    open.push(start)
    for (let position = open.pop(); position !== undefined; position = open.pop()) {
      if (reached[position] === place) continue
      reached[position] = place
      if (count) count.steps++
      const step = steps[position]
      if (step?.[0] === 'split') open.push(step[1], step[2])
      else if (step?.[0] === 'jump') open.push(step[1])
      else positions.push(position)
    }
  }
}

function accepts(step: GlobStep, character: string, acrossSlashes: boolean): boolean {
  switch (step[0]) {
    case 'char':
      return step[1] === character
    case 'any':
      return acrossSlashes || character !== '/'
    case 'all':
      return true
    case 'set': {
      const isIn = step[2].some(([from, to]) => from <= character && character <= to)
      return step[1] ? !isIn && character !== '/' : isIn
    }
    default:
      return false
  }
}
