import type { Issue } from '../base/error.js'
import type { JsonObject } from '../base/json.js'
import type { CheckedSchema } from './check-schema.js'
import { describeSchema, ISSUES_MAX, issueOf, type Step } from './issues.js'
import { type Keywords, keywordsOf, type Schema } from './keywords.js'
import { type LinearPattern, linearPattern, PatternWork, TextTooLong } from './linear-pattern.js'

/** Steps that one comparison may take: one for each keyword, property and item that is compared. */
const STEPS_MAX = 3_000_000
/** Characters of a string that are read in one step. */
export const CHARACTERS_PER_STEP = 16
/** Values of an `enum` or names of a `required` that are compared in one step. */
export const LISTED_PER_STEP = 8

/** Thrown to end a comparison; `instance` takes too long to compare. */
export class ComparisonTooLong extends Error {
  constructor(
    readonly instance: Instance,
    readonly expected: string,
  ) {
    super()
  }
}

/** A value inside the compared value. Each is made once, so that it can keep the outcomes found for it. */
export class Instance {
  #outcomes: Map<Schema, Outcome> | undefined
  #children: Map<Step, Instance> | undefined
  readonly depth: number

  constructor(
    readonly value: unknown,
    readonly parent: Instance | null = null,
    readonly step: Step = '',
  ) {
    this.depth = parent ? parent.depth + 1 : 0
  }

  get path(): Step[] {
    const path: Step[] = []
    for (let at: Instance = this; at.parent; at = at.parent) path.push(at.step)
    return path.reverse()
  }

  child(step: Step): Instance {
    this.#children ??= new Map()
    const known = this.#children.get(step)
    if (known) return known
    const child = new Instance((this.value as Record<Step, unknown>)[step], this, step)
    this.#children.set(step, child)
    return child
  }

  outcomeOf(schema: Schema): Outcome | undefined {
    return this.#outcomes?.get(schema)
  }

  keep(schema: Schema, outcome: Outcome): void {
    this.#outcomes ??= new Map()
    this.#outcomes.set(schema, outcome)
  }
}

/** One fault of the value. Its issue is worded only when it is read, since most faults are never reported. */
export class Fault {
  #issue: Issue | undefined

  /**
   * @param kind `type` if the value has the wrong type, `value` if it is not one of those that `const` or
   *   `enum` allow
   * @param message the issue's message, instead of the usual sentence
   */
  constructor(
    readonly instance: Instance,
    readonly kind: 'type' | 'value' | 'other',
    readonly expected: string | (() => string),
    readonly message?: (issue: Issue) => string,
  ) {}

  get issue(): Issue {
    if (this.#issue) return this.#issue
    const { instance, expected, message } = this
    const issue = issueOf(instance.path, typeof expected === 'string' ? expected : expected(), instance.value)
    this.#issue = message ? { ...issue, message: message(issue) } : issue
    return this.#issue
  }
}

/** The findings so far of comparing an instance with a schema. */
export class Outcome {
  readonly faults: Fault[] = []
  #evaluated: Set<Step> | undefined

  constructor(
    readonly instance: Instance,
    readonly comparison: Comparison,
  ) {}

  /** The keys or indexes of the instance that a schema was applied to. */
  get evaluated(): Set<Step> {
    this.#evaluated ??= new Set()
    return this.#evaluated
  }

  fail(expected: Fault['expected'], kind: Fault['kind'] = 'other', message?: Fault['message']): void {
    this.add(new Fault(this.instance, kind, expected, message))
  }

  add(fault: Fault): void {
    if (this.faults.length < ISSUES_MAX) this.faults.push(fault)
  }

  /** Compares a property or an item of the instance with a schema, and adds its faults. */
  compareChild(schema: Schema, step: Step): void {
    this.evaluated.add(step)
    const { faults } = this.comparison.compare(schema, this.instance.child(step))
    for (const fault of faults) this.add(fault)
  }

  apply(schema: Schema): void {
    this.include(this.comparison.compare(schema, this.instance))
  }

  /** Adds the result of comparing the instance with another schema. */
  include(other: Outcome): void {
    for (const fault of other.faults) this.add(fault)
    const evaluated = other.#evaluated
    if (evaluated === undefined) return
    this.comparison.take(evaluated.size, this.instance)
    for (const step of evaluated) this.evaluated.add(step)
  }
}

/** Compares an instance with the keywords of a schema, and adds the faults to its outcome. */
type CompareKeywords = (schema: Keywords, outcome: Outcome) => void

/** The state of one comparison: the steps taken, and cached results. */
export class Comparison {
  readonly #compareKeywords: CompareKeywords
  readonly #isKeyword: (key: string) => boolean
  readonly #targets: ReadonlyMap<string, Schema>
  /** The schemas that references lead to. Only with them can an instance be compared twice. */
  readonly #shared: ReadonlySet<Schema>
  readonly #known = new Map<JsonObject, { keywords: Keywords; count: number }>()
  readonly #descriptions = new Map<Schema, string>()
  readonly #patterns = new Map<string, LinearPattern>()
  readonly #patternWork = new PatternWork()
  #steps = 0

  constructor({ dialect, targets }: CheckedSchema, compareKeywords: CompareKeywords) {
    const keywords = keywordsOf(dialect)
    this.#compareKeywords = compareKeywords
    this.#isKeyword = key => keywords.has(key)
    this.#targets = targets
    this.#shared = new Set(targets.values())
  }

  compare(schema: Schema, instance: Instance): Outcome {
    this.take(1, instance)
    const isShared = this.#shared.has(schema)
    const known = isShared ? instance.outcomeOf(schema) : undefined
    if (known) return known
    const outcome = new Outcome(instance, this)
    if (schema === false) outcome.fail('left out')
    else if (schema !== true) this.#compareKeywords(this.#keywordsIn(schema, instance), outcome)
    if (isShared) instance.keep(schema, outcome)
    return outcome
  }

  target(ref: string): Schema {
    return this.#targets.get(ref) ?? true
  }

  /** The values that a schema accepts, in a few words. */
  describe(schema: Schema): string {
    const known = this.#descriptions.get(schema) ?? describeSchema(schema, this.#targets)
    this.#descriptions.set(schema, known)
    return known
  }

  /** Counts steps. Throws ComparisonTooLong beyond STEPS_MAX. */
  take(steps: number, instance: Instance): void {
    this.#steps += steps
    if (this.#steps > STEPS_MAX)
      throw new ComparisonTooLong(
        instance,
        'something smaller: with this, comparing the whole with its schema takes too long',
      )
  }

  /** True if a pattern matches a string, which is the value or a key of `instance`, as `noun` names it. */
  matches(pattern: string, text: string, instance: Instance, noun: string): boolean {
    const known = this.#patterns.get(pattern) ?? linearPattern(pattern, this.#patternWork)
    this.#patterns.set(pattern, known)
    try {
      return known.test(text)
    } catch (error) {
      if (!(error instanceof TextTooLong)) throw error
      throw new ComparisonTooLong(
        instance,
        `a shorter ${noun}: this one is too long for ${pattern.slice(0, 80)}`,
      )
    }
  }

  /** The keywords of a schema that its dialect knows. */
  #keywordsIn(schema: JsonObject, instance: Instance): Keywords {
    const { keywords, count } = this.#known.get(schema) ?? this.#readKeywords(schema)
    this.take(count, instance)
    return keywords
  }

  #readKeywords(schema: JsonObject): { keywords: Keywords; count: number } {
    const entries = Object.entries(schema).filter(([key]) => this.#isKeyword(key))
    const meaning = { keywords: Object.fromEntries(entries) as Keywords, count: entries.length }
    this.#known.set(schema, meaning)
    return meaning
  }
}
