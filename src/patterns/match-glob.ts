/** Runs the programs that globs are compiled to. */

/** One step of a program. Numbers are positions in the program. */
export type GlobStep =
  | ['char', string]
  /** Any character but `/`. */
  | ['any']
  /** One of these ranges of characters, or with `true` none of them and no `/`. */
  | ['set', boolean, [from: string, to: string][]]
  /** Any number of characters but `/`. */
  | ['star']
  /** Any number of characters. */
  | ['globstar']
  | ['split', number, number]
  | ['jump', number]
  | ['match']

/**
 * A compiled glob: the program for the text, or for `!(…)` the one that its end, after a fixed prefix, must
 * not match.
 */
export type GlobProgram =
  | { steps: GlobStep[]; not?: never; prefix?: never }
  | { not: GlobStep[]; prefix: string; steps?: never }

interface MatchOptions {
  /** Lets `*` and `?` match `/` too, and any wildcard any segment. */
  acrossSlashes?: boolean
  /** Lets wildcards match `.` and `..` segments. */
  anySegment?: boolean
  /** The number of characters at the beginning that no wildcard may match. */
  root?: number
  /** Also matches from after any `/`. Only together with `acrossSlashes`. */
  anywhere?: boolean
  /** Gets the number of steps taken. */
  count?: { steps: number }
}

export function matchGlob(program: GlobProgram, text: string, options: MatchOptions = {}): boolean {
  if (program.steps) return run(program.steps, text, options)
  const { prefix, not } = program
  const { acrossSlashes, anySegment, anywhere, ...others } = options
  if (!text.startsWith(prefix)) return anywhere === true && text.includes(`/${prefix}`)
  const rest = text.slice(prefix.length)
  if (!acrossSlashes && (rest.includes('/') || (!anySegment && NO_NAME_LAST.test(text)))) return false
  return !run(not, rest, { ...others, acrossSlashes: acrossSlashes === true, anySegment: true })
}

/** An empty, `.` or `..` segment at the end. */
const NO_NAME_LAST = /(?:^|\/)\.{0,2}$/

/** True if the steps from a position on match the empty string. */
export function canBeEmpty(steps: readonly GlobStep[], from: number): boolean {
  return run(steps, '', { anySegment: true }, from)
}

/** Steps through a program. Characters are UTF-16 units. */
function run(steps: readonly GlobStep[], text: string, options: MatchOptions, from = 0): boolean {
  const { acrossSlashes = false, count } = options
  const closed = closedPlaces(text, options)
  // Up to its first choice a program has one way only, and most names end on it.
  for (let at = 0; ; at++) {
    const step = steps[from + at]
    if (step === undefined) return false
    if (isChoice(step) || options.anywhere) return new Ways(steps, text, closed, options).match(from + at, at)
    if (count) count.steps++
    if (step[0] === 'match') return at === text.length
    if (at === text.length || (closed?.[at] && step[0] !== 'char')) return false
    if (!accepts(step, text.charAt(at), acrossSlashes)) return false
  }
}

function isChoice([kind]: GlobStep): boolean {
  return kind === 'star' || kind === 'globstar' || kind === 'split' || kind === 'jump'
}

/**
 * 1 for each place of a text that no wildcard may match, including the place after a segment's end; null
 * without any.
 */
function closedPlaces(
  text: string,
  { acrossSlashes, anySegment, root = 0 }: MatchOptions,
): Uint8Array | null {
  if (acrossSlashes || anySegment) return null
  if (text === '') return Uint8Array.of(1)
  const isPlain = !text.includes('.') || !DOT_SEGMENT.test(text)
  if (isPlain && root === 0) return null
  const closed = new Uint8Array(text.length + 1).fill(1, 0, root)
  for (let start = 0; !isPlain && start <= text.length; ) {
    const slash = text.indexOf('/', start)
    const end = slash === -1 ? text.length : slash
    if (end - start < 3 && DOT_SEGMENT.test(text.slice(start, end))) closed.fill(1, start, end + 1)
    start = end + 1
  }
  return closed
}

const DOT_SEGMENT = /(?:^|\/)\.\.?(?:\/|$)/

/** Steps all paths through a program at once, so that none is taken twice at one place of the text. */
class Ways {
  readonly #acrossSlashes: boolean
  /** The position of the last slash that `*` does not match; -1 without one. */
  readonly #lastSlash: number
  /** The last place that is closed to wildcards; -1 without one. */
  readonly #lastClosed: number
  /** For each position of the program, the place in the text (from 1) where it was last reached. */
  readonly #reachedAt: number[] = []
  /** The positions that read the next character. */
  #open: number[] = []

  constructor(
    readonly steps: readonly GlobStep[],
    readonly text: string,
    readonly closed: Uint8Array | null,
    readonly options: MatchOptions,
  ) {
    this.#acrossSlashes = options.acrossSlashes === true
    this.#lastSlash = this.#acrossSlashes ? -1 : text.lastIndexOf('/')
    this.#lastClosed = closed ? closed.lastIndexOf(1) : -1
    for (let position = 0; position < steps.length; position++) this.#reachedAt.push(0)
  }

  /** True if a path leads from a position and a place in the text to the end of both. */
  match(position: number, start: number): boolean {
    if (this.#reach(position, start)) return true
    for (let at = start; at < this.text.length; at++) {
      const tried = this.#open
      this.#open = []
      for (const from of tried) if (this.#take(from, at)) return true
      if (this.options.anywhere && this.text[at] === '/' && this.#reach(position, at + 1)) return true
      if (this.#open.length === 0 && !this.options.anywhere) return false
    }
    return this.#open.some(open => this.steps[open]?.[0] === 'match')
  }

  #take(position: number, at: number): boolean {
    const step = this.steps[position]
    if (step === undefined || (this.closed?.[at] && step[0] !== 'char')) return false
    if (!accepts(step, this.text.charAt(at), this.#acrossSlashes)) return false
    const isRepeated = step[0] === 'star' || step[0] === 'globstar'
    return this.#reach(isRepeated ? position : position + 1, at + 1)
  }

  /**
   * Opens the positions that can be reached without taking a character. True where one takes all the rest.
   */
  #reach(position: number, at: number): boolean {
    if (this.#reachedAt[position] === at + 1) return false
    this.#reachedAt[position] = at + 1
    const { count } = this.options
    if (count) count.steps++
    const step = this.steps[position]
    if (step?.[0] === 'split') return this.#reach(step[1], at) || this.#reach(step[2], at)
    if (step?.[0] === 'jump') return this.#reach(step[1], at)
    if (step?.[0] !== 'star' && step?.[0] !== 'globstar') {
      this.#open.push(position)
      return false
    }
    // A wildcard matches even the empty string only in a segment that it may match.
    if (this.closed?.[at] || (step[0] === 'star' && this.#isEmptySegment(at))) return false
    this.#open.push(position)
    const isLast = this.steps[position + 1]?.[0] === 'match'
    if (isLast && at > this.#lastClosed && (step[0] === 'globstar' || this.#lastSlash < at)) return true
    return this.#reach(position + 1, at)
  }

  /** True between two slashes, or a slash and the beginning or end. */
  #isEmptySegment(at: number): boolean {
    const { acrossSlashes, anySegment } = this.options
    const isStart = at === 0 || this.text[at - 1] === '/'
    return isStart && (at === this.text.length || this.text[at] === '/') && !acrossSlashes && !anySegment
  }
}

function accepts(step: GlobStep, character: string, acrossSlashes: boolean): boolean {
  switch (step[0]) {
    case 'char':
      return step[1] === character
    case 'any':
    case 'star':
      return acrossSlashes || character !== '/'
    case 'globstar':
      return true
    case 'set': {
      const isIn = step[2].some(([from, to]) => from <= character && character <= to)
      return step[1] ? !isIn && character !== '/' : isIn
    }
    default:
      return false
  }
}
