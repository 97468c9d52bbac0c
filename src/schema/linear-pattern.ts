/**
 * Regular expressions as JSON Schema has them, matched in time that grows with the text alone: all ways through a
 * pattern are walked at once, one character after the other, so none is ever walked again. `^(a+)+$` is as quick
 * as `a`. What a pattern means is what `new RegExp(pattern, 'u')` says; back references have no such matcher and are
 * refused.
 */

/** Steps of the automaton that a pattern becomes; counted repetitions are written out. */
const STATES_MAX = 5_000
/** Steps that all texts of one comparison may take together; some hundred milliseconds. */
const WORK_MAX = 20_000_000
/** What is done for so many states of a pattern before its first step takes as long as a step. */
const STATES_PER_STEP = 16

/** Thrown for a pattern that is not to be used. */
export class PatternRefused extends Error {}
/** Thrown for a text that is too long for its pattern, or for what was left of the work. */
export class TextTooLong extends Error {}

/** What patterns may still do in one comparison. */
export class PatternWork {
  #left = WORK_MAX

  /** For the next comparison. */
  renew(): void {
    this.#left = WORK_MAX
  }

  take(steps: number): void {
    this.#left -= steps
    if (this.#left < 0) throw new TextTooLong()
  }
}

export interface LinearPattern {
  /** Steps that it is made of. */
  size: number
  /** True where the pattern matches somewhere in the text. Throws TextTooLong. */
  test: (text: string) => boolean
}

/**
 * @param work what it shares with other patterns; without it, each text has all of it
 * @throws PatternRefused for what is no regular expression, is too complex, or refers back
 */
export function linearPattern(pattern: string, work?: PatternWork): LinearPattern {
  const source = withoutNeedlessEscapes(pattern)
  try {
    new RegExp(source, 'u')
  } catch (error) {
    throw new PatternRefused((error as Error).message.replace(/^.*\/u: /s, ''))
  }
  const program = new Program()
  const main = program.automaton(new Parser(source).parse(), false)
  return {
    size: program.states.length,
    test: text => new Match(program, text, work ?? new PatternWork()).ends(main, true).found,
  }
}

/** `\-` and `\_`, which other languages allow, are errors where characters are code points; they mean the character. */
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
/** Whether a place between two characters is of a kind. */
type Holds = (text: readonly number[], place: number) => boolean

/** Reads what the host's own `RegExp` has found to be right, which spares it most questions. */
class Parser {
  #at = 0
  constructor(readonly source: string) {}

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
    if (this.#take('^')) return { kind: 'at', holds: (_text, place) => place === 0 }
    if (this.#take('$')) return { kind: 'at', holds: (text, place) => place === text.length }
    if (this.#take('\\b')) return { kind: 'at', holds: isWordEdge }
    if (this.#take('\\B')) return { kind: 'at', holds: (text, place) => !isWordEdge(text, place) }
    if (this.#take('(')) return this.#group()
    const reference = this.#match(/\\(?:[1-9]\d*|k<)/y)
    if (reference) throw new PatternRefused('it refers back to what a group matched')
    const [character = ''] = this.#match(CHARACTER) ?? []
    return { kind: 'character', fits: fitsOf(character) }
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

/** What the host says of single characters; for those of ASCII it is asked once. */
function fitsOf(source: string): Fits {
  if (source.length === 1 && source !== '.') {
    const only = source.charCodeAt(0)
    return codePoint => codePoint === only
  }
  // Made when the first text is tested: most patterns that are read are tested never.
  let one: RegExp | undefined
  const known: (boolean | undefined)[] = []
  return codePoint => {
    one ??= new RegExp(`^${source}$`, 'u')
    if (codePoint > 127) return one.test(String.fromCodePoint(codePoint))
    known[codePoint] ??= one.test(String.fromCharCode(codePoint))
    return known[codePoint]
  }
}

const isWord = fitsOf('\\w')

function isWordEdge(text: readonly number[], place: number): boolean {
  const before = text[place - 1]
  const after = text[place]
  return (before !== undefined && isWord(before)) !== (after !== undefined && isWord(after))
}

type State =
  | { kind: 'character'; fits: Fits; next: number }
  | { kind: 'fork'; next: number; other: number }
  | { kind: 'at'; holds: Holds; next: number }
  | { kind: 'look'; look: Automaton; negative: boolean; next: number }
  | { kind: 'end' }

/** Where a part of the program starts, and which way it reads. */
interface Automaton {
  start: number
  backward: boolean
}

/** All automata of a pattern: its own, and one for each of its looks ahead and behind. */
class Program {
  readonly states: State[] = []

  automaton(node: Node, backward: boolean): Automaton {
    return { start: this.#build(node, this.#add({ kind: 'end' }), backward), backward }
  }

  #add(state: State): number {
    if (this.states.length >= STATES_MAX) throw new PatternRefused('it repeats too much')
    return this.states.push(state) - 1
  }

  /** Builds a node in front of what follows it, and gives where it starts. */
  #build(node: Node, next: number, backward: boolean): number {
    switch (node.kind) {
      case 'character':
        return this.#add({ kind: 'character', fits: node.fits, next })
      case 'at':
        return this.#add({ kind: 'at', holds: node.holds, next })
      case 'look': {
        // What lies ahead is read from the text's end, so that one reading tells it for every place.
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
      // What is empty is so however often it is repeated.
      if (start === before) break
    }
    return start
  }
}

interface Ends {
  found: boolean
  /** By place: 1 where a match ends there. */
  at: Uint8Array
}

/** One text, and what is known of it so far. */
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

  /** The places where matches end that begin anywhere; with `first`, whether there is one. */
  ends({ start, backward }: Automaton, first: boolean): Ends {
    const { states } = this.program
    const text = this.#text
    this.work.take(Math.ceil(states.length / STATES_PER_STEP))
    const at = new Uint8Array(text.length + 1)
    const seen = new Int32Array(states.length).fill(-1)
    let open: number[] = []
    for (let step = 0; step <= text.length; step++) {
      const place = backward ? text.length - step : step
      const codePoint = text[backward ? place - 1 : place] ?? -1
      open.push(start)
      const following: number[] = []
      for (let number = open.pop(); number !== undefined; number = open.pop()) {
        if (seen[number] === step) continue
        seen[number] = step
        this.work.take(1)
        const state = states[number] as State
        switch (state.kind) {
          case 'end':
            at[place] = 1
            if (first) return { found: true, at }
            break
          case 'fork':
            open.push(state.other, state.next)
            break
          case 'character':
            if (codePoint >= 0 && state.fits(codePoint)) following.push(state.next)
            break
          case 'at':
            if (state.holds(text, place)) open.push(state.next)
            break
          case 'look':
            if ((this.#look(state.look)[place] === 1) !== state.negative) open.push(state.next)
        }
      }
      open = following
    }
    return { found: false, at }
  }

  #look(look: Automaton): Uint8Array {
    const known = this.#looks.get(look)
    if (known) return known
    const { at } = this.ends(look, false)
    this.#looks.set(look, at)
    return at
  }
}
