/**
 * Regular expressions in JSON Schema, matched in time linear in the string. All paths through the automaton
 * of a pattern are followed at once, character by character, so `^(a+)+$` is as fast as `a`. A pattern means
 * what `new RegExp(pattern, 'u')` means. Backreferences cannot be matched this way and are refused.
 */

/** States of a pattern's automaton, in which counted repetitions are written out. */
const STATES_MAX = 5_000
/** Steps that all strings of one comparison may take together; some hundred milliseconds. */
const WORK_MAX = 20_000_000
/** States of an automaton that can be set up in the time of one step. */
const STATES_PER_STEP = 16

/** Thrown for a pattern that must not be used. */
export class PatternRefused extends Error {}
/** Thrown for a string that is too long for its pattern, or for the work that is left. */
export class TextTooLong extends Error {}

/** The steps that patterns may still take in one comparison. */
export class PatternWork {
  #left = WORK_MAX

  /** Allows all steps again, for the next comparison. */
  renew(): void {
    this.#left = WORK_MAX
  }

  take(steps: number): void {
    this.#left -= steps
    if (this.#left < 0) throw new TextTooLong()
  }
}

export interface LinearPattern {
  /** The pattern as the host's `RegExp` takes it. */
  source: string
  /** The number of its states. */
  size: number
  /** True where the pattern matches anywhere in the string. Throws TextTooLong. */
  test: (text: string) => boolean
}

/**
 * Compiles a regular expression.
 *
 * @param work is shared with other patterns; without it, each string may take all steps
 * @param ignoreCase whether letters match in upper and lower case
 * @throws PatternRefused for a pattern that is not a regular expression, is too complex, or has a backreference
 */
export function linearPattern(pattern: string, work?: PatternWork, ignoreCase = false): LinearPattern {
  const source = withoutNeedlessEscapes(pattern)
  try {
    new RegExp(source, 'u')
  } catch (error) {
    throw new PatternRefused((error as Error).message.replace(/^.*\/u: /s, ''))
  }
  const program = new Program()
  const main = program.automaton(new Parser(source, ignoreCase).parse(), false)
  return {
    source,
    size: program.states.length,
    test: text => new Match(program, text, work ?? new PatternWork()).ends(main, true).includes(1),
  }
}

/** Removes needless escapes, as in `\-` and `\_`: other languages allow them, the `u` flag does not. */
function withoutNeedlessEscapes(pattern: string): string {
  let inClass = false
  return pattern.replace(/\\([\s\S])|[[\]]/g, (written, escaped?: string) => {
    if (escaped === undefined) inClass = written === '['
    else if (
      /[!-~ ]/.test(escaped) &&
      !/[\w^$\\.*+?()[\]{}|/]/.test(escaped) &&
      !(inClass && escaped === '-')
    )
      return escaped
    else if (escaped === '_') return escaped
    return written
  })
}

type Node =
  | { kind: 'character'; fits: Fits }
  | { kind: 'sequence'; parts: Node[] }
  | { kind: 'choice'; parts: Node[] }
  | { kind: 'repeat'; part: Node; min: number; max: number }
  | { kind: 'at'; holds: Holds }
  | { kind: 'look'; part: Node; behind: boolean; negative: boolean }

type Fits = (codePoint: number) => boolean
/** A condition such as `^` or `\b` between two characters. */
type Holds = (text: readonly number[], position: number) => boolean

/** Parses a pattern that the host's `RegExp` has accepted, so it checks the syntax no further. */
class Parser {
  #at = 0
  constructor(
    readonly source: string,
    readonly ignoreCase: boolean,
  ) {}

  parse(): Node {
    const parts = [this.#sequence()]
    while (this.#take('|')) parts.push(this.#sequence())
    return parts.length === 1 ? (parts[0] as Node) : { kind: 'choice', parts }
  }

  #take(text: string): boolean {
    if (!this.source.startsWith(text, this.#at)) return false
    this.#at += text.length
    return true
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.source)
    if (match) this.#at += match[0].length
    return match
  }

  #sequence(): Node {
    const parts: Node[] = []
    while (this.#at < this.source.length && !/[|)]/.test(this.source.charAt(this.#at)))
      parts.push(this.#repeated(this.#atom()))
    return { kind: 'sequence', parts }
  }

  #repeated(part: Node): Node {
    const quantifier = this.#match(/(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/y)
    if (!quantifier) return part
    const [written, least, comma, most] = quantifier
    const sign = { '*': [0, Infinity], '+': [1, Infinity], '?': [0, 1] }[written.charAt(0)]
    const [min = 0, max = Infinity] = sign ?? [
      Number(least),
      comma === '' ? Number(least) : most === '' ? Infinity : Number(most),
    ]
    return { kind: 'repeat', part, min, max }
  }

  #atom(): Node {
    if (this.#take('^')) return { kind: 'at', holds: (_text, position) => position === 0 }
    if (this.#take('$')) return { kind: 'at', holds: (text, position) => position === text.length }
    if (this.#take('\\b')) return { kind: 'at', holds: isWordEdge }
    if (this.#take('\\B')) return { kind: 'at', holds: (text, position) => !isWordEdge(text, position) }
    if (this.#take('(')) return this.#group()
    const reference = this.#match(/\\(?:[1-9]\d*|k<)/y)
    if (reference) throw new PatternRefused('it refers back to what a group matched')
    const [character = ''] = this.#match(CHARACTER) ?? []
    return { kind: 'character', fits: fitsOf(character, this.ignoreCase) }
  }

  #group(): Node {
    const [, behind, sign] = this.#match(/\?(<?)([=!])/y) ?? []
    if (
      sign === undefined &&
      !this.#take('?:') &&
      !this.#match(/\?<[^>]*>/y) &&
      this.source.charAt(this.#at) === '?'
    )
      throw new PatternRefused('it changes flags inside')
    const part = this.parse()
    this.#take(')')
    return sign === undefined ? part : { kind: 'look', part, behind: behind === '<', negative: sign === '!' }
  }
}

/** One character, escape or class. */
const CHARACTER =
  /\[(?:\\[\s\S]|[^\]\\])*\]|\\u\{[^}]*\}|\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|\\c[A-Za-z]|\\[pP]\{[^}]*\}|\\[\s\S]|[\s\S]/uy

/** Makes the test for one character, escape or class, by the host's `RegExp`. */
function fitsOf(source: string, ignoreCase: boolean): Fits {
  if (!ignoreCase && source.length === 1 && source !== '.') {
    const only = source.charCodeAt(0)
    return codePoint => codePoint === only
  }
  // Made for the first string: most patterns are checked, and never used.
  let one: RegExp | undefined
  const known: (boolean | undefined)[] = []
  return codePoint => {
    one ??= new RegExp(`^${source}$`, ignoreCase ? 'iu' : 'u')
    if (codePoint > 127) return one.test(String.fromCodePoint(codePoint))
    known[codePoint] ??= one.test(String.fromCharCode(codePoint))
    return known[codePoint]
  }
}

const isWord = fitsOf('\\w', false)

function isWordEdge(text: readonly number[], position: number): boolean {
  const before = text[position - 1]
  const after = text[position]
  return (before !== undefined && isWord(before)) !== (after !== undefined && isWord(after))
}

type State =
  | { kind: 'character'; fits: Fits; next: number }
  | { kind: 'fork'; next: number; other: number }
  | { kind: 'at'; holds: Holds; next: number }
  | { kind: 'look'; look: Automaton; negative: boolean; next: number }
  | { kind: 'end' }

/** The state where an automaton starts, and whether it reads the string backward. */
interface Automaton {
  start: number
  backward: boolean
}

/** All automata of a pattern: its own, and one for each lookahead and lookbehind. */
class Program {
  readonly states: State[] = []

  automaton(node: Node, backward: boolean): Automaton {
    return { start: this.#build(node, this.#add({ kind: 'end' }), backward), backward }
  }

  #add(state: State): number {
    if (this.states.length >= STATES_MAX) throw new PatternRefused('it repeats too much')
    return this.states.push(state) - 1
  }

  /** Adds the states of a node, which lead to the state `next`. Returns the state where the node starts. */
  #build(node: Node, next: number, backward: boolean): number {
    switch (node.kind) {
      case 'character':
        return this.#add({ kind: 'character', fits: node.fits, next })
      case 'at':
        return this.#add({ kind: 'at', holds: node.holds, next })
      case 'look': {
        // A lookahead reads backward from the string's end, so that one pass answers it for every position.
        const look = this.automaton(node.part, !node.behind)
        return this.#add({ kind: 'look', look, negative: node.negative, next })
      }
      case 'sequence': {
        const parts = backward ? node.parts : node.parts.toReversed()
        return parts.reduce((following, part) => this.#build(part, following, backward), next)
      }
      case 'choice':
        return node.parts
          .map(part => this.#build(part, next, backward))
          .reduce((other, start) => this.#add({ kind: 'fork', next: start, other }))
      case 'repeat':
        return this.#repeat(node, next, backward)
    }
  }

  #repeat({ part, min, max }: Node & { kind: 'repeat' }, next: number, backward: boolean): number {
    let start = next
    if (max === Infinity) {
      const fork: State = { kind: 'fork', next, other: next }
      start = this.#add(fork)
      fork.next = this.#build(part, start, backward)
    } else {
      for (let count = min; count < max; count++) {
        const before = this.#build(part, start, backward)
        start = this.#add({ kind: 'fork', next: before, other: next })
      }
    }
    for (let count = 0; count < min; count++) {
      const before = start
      start = this.#build(part, start, backward)
      // An empty part stays empty, however often it is repeated.
      if (start === before) break
    }
    return start
  }
}

/** The state of matching one string. */
class Match {
  readonly #text: number[]
  readonly #looks = new Map<Automaton, Uint8Array>()

  constructor(
    readonly program: Program,
    text: string,
    readonly work: PatternWork,
  ) {
    this.#text = Array.from(text, character => character.codePointAt(0) ?? 0)
  }

  /** For each position, 1 if a match ends there, from any start. With `first`, stops at the first one. */
  ends({ start, backward }: Automaton, first = false): Uint8Array {
    const { states } = this.program
    const text = this.#text
    this.work.take(Math.ceil(states.length / STATES_PER_STEP))
    const at = new Uint8Array(text.length + 1)
    const seen = new Int32Array(states.length).fill(-1)
    let open: number[] = []
    for (let step = 0; step <= text.length; step++) {
      const position = backward ? text.length - step : step
      const codePoint = text[backward ? position - 1 : position] ?? -1
      open.push(start)
      const following: number[] = []
      for (let number = open.pop(); number !== undefined; number = open.pop()) {
        if (seen[number] === step) continue
        seen[number] = step
        this.work.take(1)
        const state = states[number] as State
        switch (state.kind) {
          case 'end':
            at[position] = 1
            if (first) return at
            break
          case 'fork':
            open.push(state.other, state.next)
            break
          case 'character':
            if (codePoint >= 0 && state.fits(codePoint)) following.push(state.next)
            break
          case 'at':
            if (state.holds(text, position)) open.push(state.next)
            break
          case 'look':
            if ((this.#look(state.look)[position] === 1) !== state.negative) open.push(state.next)
        }
      }
      open = following
    }
    return at
  }

  #look(look: Automaton): Uint8Array {
    const known = this.#looks.get(look) ?? this.ends(look)
    this.#looks.set(look, known)
    return known
  }
}
