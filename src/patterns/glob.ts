import { canBeEmpty, type GlobProgram, type GlobStep } from './match-glob.js'

/**
 * Globs over tool names and argument values: `*`, `?`, `[a-z]`, `[^a]`, `{a,b}`, `**`, `!(a|b)`. A glob
 * compiles to a small program, plain data that an index can store, and matching steps through it: the time is
 * at most the program's length times the text's, for every pattern. No wildcard matches a segment that
 * is `.` or `..`. On names, which have none of these and no empty one, it agrees with picomatch (its `dot:
 * true`); syntax that picomatch reads as part of a regular expression is refused.
 */

/** The reason why a string is not a glob. `offset` is the place in it. */
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
    if (canBeEmpty(reader.steps, behind)) throw new GlobProblem('what follows "/**/" may not be empty', at)
  }
  return { steps: reader.steps }
}

/** True for a pattern with glob syntax. */
export function isGlob(text: string): boolean {
  return /[*?[\]{}!\\]/.test(text)
}

/** `prefix!(a|b)`: within a segment, the prefix not followed by one of the alternatives. */
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
  /** The position of each `/**` with something behind it, and the step that follows it. */
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
    single(reader, ['star'])
    return
  }
  const isSegment = at === 0 || (glob[at - 1] === '/' && glob[at + 2] !== '*')
  const isLast = at + 2 === glob.length
  if (!isSegment || !(isLast || glob[at + 2] === '/') || reader.depth > 0)
    throw new GlobProblem('"**" stands only for whole segments, outside braces', at)
  reader.at += isLast ? 2 : 3
  if (isLast) emit(reader, ['globstar'])
  else {
    // `**/x` is x at any depth, none included.
    optional(reader, () => {
      emit(reader, ['globstar'])
      emit(reader, ['char', '/'])
    })
  }
}

/**
 * A slash with `**` behind it: at the end the directory itself and all below it, else any depth, none
 * included.
 */
function readGlobstar(reader: Reader): void {
  const { glob, at } = reader
  reader.at += 3
  if (reader.at === glob.length) {
    const below = (): void => {
      emit(reader, ['char', '/'])
      emit(reader, ['globstar'])
    }
    // As in picomatch, `a*/**` matches only paths below.
    if (glob[at - 1] === '*' && glob[at - 2] !== '\\') below()
    else optional(reader, below)
    return
  }
  emit(reader, ['char', '/'])
  reader.at++
  optional(reader, () => {
    emit(reader, ['globstar'])
    emit(reader, ['char', '/'])
  })
  reader.globstars.push({ at, behind: reader.steps.length })
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

/**
 * Alternatives up to `end`, and how many: each is tried from the same place, and all continue after the last.
 */
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
