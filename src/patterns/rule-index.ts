import { addToGroup } from '../base/add-to-group.js'
import { isQualifiedName, labelOf } from '../skill/names.js'
import type { GlobProgram } from './match-glob.js'
import {
  FOREIGN_NAMES,
  isOfLibrary,
  type MatchedTool,
  mcpServerNames,
  type ToolRule,
} from './tool-pattern.js'

/**
 * Rules by the names that they could select, so that ten thousand tools are not compared with each of a
 * hundred rules.
 */
export class RuleIndex {
  readonly #names = new TextIndex()
  readonly #tags = new TextIndex()
  readonly #library: number[] = []

  constructor(readonly rules: readonly ToolRule[]) {
    for (const [number, { selects, glob }] of rules.entries()) {
      if (glob === undefined) continue
      if (selects === 'library') this.#library.push(number)
      else (selects === 'tag' ? this.#tags : this.#names).add(glob, number)
    }
  }

  /** The rules that could select a tool, in the order of the list. Others seldom are among them. */
  of(tool: MatchedTool): readonly ToolRule[] {
    const { name, tags, src } = tool
    const found: number[] = []
    const label = isQualifiedName(name) ? labelOf(name) : name
    this.#names.collect(name, found)
    if (label !== name) this.#names.collect(label, found)
    for (const foreign of FOREIGN_NAMES.get(name) ?? NONE) this.#names.collect(foreign, found)
    for (const foreign of mcpServerNames(src ?? name)) this.#names.collect(foreign, found)
    for (const tag of tags) this.#tags.collect(tag, found)
    if (isOfLibrary(tool)) found.push(...this.#library)
    if (found.length < 2) return found.length === 0 ? NONE : [this.rules[found[0] as number] as ToolRule]
    return [...new Set(found)].sort((one, other) => one - other).map(number => this.rules[number] as ToolRule)
  }
}

const NONE: readonly never[] = []

/** A pattern with the prefix and suffix of all its matches. */
interface Pattern {
  number: number
  start: string
  end: string
}

/** Patterns by the strings that they could match. */
class TextIndex {
  /** Patterns that match one string only. */
  readonly #exact = new Map<string, Pattern[]>()
  /** Keyed by the first character of the matches. */
  readonly #begun = new Map<string, Pattern[]>()
  readonly #others: Pattern[] = []

  add({ steps = [] }: GlobProgram, number: number): void {
    const choice = steps.findIndex(([kind]) => kind !== 'char')
    const start = literal(steps.slice(0, choice))
    const pattern = { number, start, end: literal(steps.slice(lastChoice(steps), -1)) }
    if (start === '') this.#others.push(pattern)
    else if (steps[choice]?.[0] === 'match') addToGroup(this.#exact, start, pattern)
    else addToGroup(this.#begun, start.charAt(0), pattern)
  }

  collect(text: string, found: number[]): void {
    for (const { number } of this.#exact.get(text) ?? NONE) found.push(number)
    for (const patterns of [this.#begun.get(text.charAt(0)) ?? NONE, this.#others])
      for (const { number, start, end } of patterns)
        if (text.startsWith(start) && text.endsWith(end)) found.push(number)
  }
}

type Steps = NonNullable<GlobProgram['steps']>

function literal(steps: Steps): string {
  return steps.map(([, character]) => character).join('')
}

/** From where on a program has one way only, up to its end, which no way leaves out. */
function lastChoice(steps: Steps): number {
  let last = 0
  for (const [position, step] of steps.entries()) {
    if (step[0] === 'match') continue
    if (step[0] !== 'char') last = Math.max(last, position + 1)
    if (step[0] === 'split' || step[0] === 'jump') last = Math.max(last, ...step.slice(1).map(Number))
  }
  return last
}
