import { isJsonObject, type JsonObject, type JsonValue } from '../json.js'
import { nearest } from '../nearest.js'
import type { CheckedSchema, Schema } from './check-schema.js'
import { canonical, equal, textLength } from './equal.js'
import {
  describeConst,
  describeEnum,
  describeSchema,
  describeTypes,
  either,
  ISSUES_MAX,
  type Issue,
  issueOf,
  type Step,
} from './issues.js'
import { keywordsOf } from './keywords.js'
import { type LinearPattern, linearPattern, PatternWork, TextTooLong } from './linear-pattern.js'

/**
 * Compares a value with a schema by reading the schema, where code made of it could not be run or would take too
 * long; and tells what is wrong with a value that such code refused. Each subschema is compared with each place of
 * the value once, so that the time is bounded by the product of the two.
 *
 * @returns one issue for each fault, at most 20; none where the value is as the schema wants it. Where comparing takes too
 *   much, the one issue that says so: of what was not compared to the end nothing is known
 */
export function interpretSchema(root: JsonObject, checked: CheckedSchema, value: unknown): Issue[] {
  try {
    const { faults } = new Interpreter(checked).compare(root, new Place(value))
    const told = new Map(faults.map(({ issue }) => [`${issue.path}\0${issue.expected}`, issue]))
    return [...told.values()].slice(0, ISSUES_MAX)
  } catch (error) {
    if (error instanceof TooMuch) return [issueOf(error.place.path, error.expected, error.place.value)]
    throw error
  }
}

/** Steps that a comparison may take: a keyword, or an item that one is compared with. */
const STEPS_MAX = 3_000_000
/** Characters of a text that are looked at in a step. */
const CHARACTERS_PER_STEP = 16
/** Values and names of a list that are looked at in a step. */
const LISTED_PER_STEP = 8

/** Thrown where a comparison is given up. */
class TooMuch extends Error {
  constructor(
    readonly place: Place,
    readonly expected: string,
  ) {
    super()
  }
}

/** Put into words when it is told: of many that are found, few are. */
class Fault {
  #issue: Issue | undefined

  /**
   * @param kind what kind of fault, as far as choosing between alternatives asks
   * @param said what was expected, or the issue
   */
  constructor(
    readonly place: Place,
    readonly kind: 'type' | 'value' | 'other',
    readonly said: string | (() => string | Issue),
    readonly hint?: () => string,
  ) {}

  get issue(): Issue {
    if (this.#issue) return this.#issue
    const { place, said, hint } = this
    const told = typeof said === 'string' ? said : said()
    this.#issue = typeof told === 'string' ? issueOf(place.path, told, place.value, hint?.()) : told
    return this.#issue
  }
}

/** What comparing a place with a schema gives. */
interface Outcome {
  faults: Fault[]
  /** The keys of the place that a schema said something of; absent: none. */
  keys?: Set<string>
  /** The indexes of the place that a schema said something of; absent: none. */
  indexes?: Set<number>
}

/** A place of the value, made once, so that what is known of it by schemas that several others refer to is kept there. */
class Place {
  #known: Map<Schema, Outcome> | undefined
  #children: Map<Step, Place> | undefined
  readonly depth: number

  constructor(
    readonly value: unknown,
    readonly holder: Place | null = null,
    readonly step: Step = '',
  ) {
    this.depth = holder ? holder.depth + 1 : 0
  }

  get path(): Step[] {
    const path: Step[] = []
    for (let at: Place = this; at.holder; at = at.holder) path.push(at.step)
    return path.reverse()
  }

  child(step: Step): Place {
    this.#children ??= new Map()
    const known = this.#children.get(step)
    if (known) return known
    const child = new Place((this.value as Record<Step, unknown>)[step], this, step)
    this.#children.set(step, child)
    return child
  }

  known(schema: Schema): Outcome | undefined {
    return this.#known?.get(schema)
  }

  keep(schema: Schema, outcome: Outcome): void {
    this.#known ??= new Map()
    this.#known.set(schema, outcome)
  }
}

/** A schema as it is compared with. */
interface Meaning {
  schema: JsonObject
  keywords: number
}

class Interpreter {
  readonly #targets: ReadonlyMap<string, Schema>
  readonly #isKeyword: (keyword: string) => boolean
  readonly #patterns = new Map<string, LinearPattern>()
  readonly #work = new PatternWork()
  readonly #meanings = new Map<JsonObject, Meaning>()
  /** What more than one place of the schema can lead to. All others are met once, by what they stand in. */
  readonly #shared: ReadonlySet<Schema>
  readonly #described = new Map<Schema, string>()
  #steps = 0

  constructor({ dialect, targets }: CheckedSchema) {
    const keywords = keywordsOf(dialect)
    this.#isKeyword = keyword => keywords.has(keyword)
    this.#targets = targets
    this.#shared = new Set(targets.values())
  }

  compare(schema: Schema, place: Place): Outcome {
    this.#take(1, place)
    const isShared = this.#shared.has(schema)
    const known = isShared ? place.known(schema) : undefined
    if (known) return known
    const outcome: Outcome = { faults: [] }
    if (schema === false) this.#fail(outcome, place, 'left out')
    else if (schema !== true) this.#compareAll(this.#meaningOf(schema, place), place, outcome)
    if (isShared) place.keep(schema, outcome)
    return outcome
  }

  /** A schema without what means nothing in its dialect. */
  #meaningOf(schema: JsonObject, place: Place): JsonObject {
    const known = this.#meanings.get(schema) ?? this.#meaningful(schema)
    this.#take(known.keywords, place)
    return known.schema
  }

  #meaningful(whole: JsonObject): Meaning {
    const entries = Object.entries(whole).filter(([key]) => this.#isKeyword(key))
    const meaning = { schema: Object.fromEntries(entries), keywords: entries.length }
    this.#meanings.set(whole, meaning)
    return meaning
  }

  #describe(schema: Schema): string {
    const known = this.#described.get(schema) ?? describeSchema(schema, this.#targets)
    this.#described.set(schema, known)
    return known
  }

  #take(steps: number, place: Place): void {
    this.#steps += steps
    if (this.#steps > STEPS_MAX)
      throw new TooMuch(
        place,
        'something smaller: with this, comparing the whole with its schema takes too long',
      )
  }

  #compareAll(schema: JsonObject, place: Place, outcome: Outcome): void {
    const { value } = place
    if (!this.#compareType(schema, place, outcome)) return
    const { enum: allowed } = schema
    if (Array.isArray(allowed)) {
      this.#take(allowed.length / LISTED_PER_STEP, place)
      if (!allowed.some(one => equal(one, value)))
        this.#fail(
          outcome,
          place,
          () => describeEnum(allowed),
          'value',
          () => didYouMean(value, allowed),
        )
    }
    if (Object.hasOwn(schema, 'const') && !equal(schema.const, value))
      this.#fail(outcome, place, () => describeConst(schema.const), 'value')
    if (typeof value === 'string') this.#compareText(schema, place, value, outcome)
    if (typeof value === 'number' && Number.isFinite(value))
      this.#compareNumber(schema, place, value, outcome)
    if (Array.isArray(value)) this.#compareList(schema, place, value, outcome)
    else if (typeof value === 'object' && value !== null)
      this.#compareObject(schema, place, value as Record<string, unknown>, outcome)
    this.#combine(schema, place, outcome)
    this.#compareUnevaluated(schema, place, outcome)
  }

  #fail(
    outcome: Outcome,
    place: Place,
    expected: Fault['said'],
    kind: Fault['kind'] = 'other',
    hint?: () => string,
  ): void {
    this.#tell(outcome, new Fault(place, kind, expected, hint))
  }

  #tell({ faults }: Outcome, fault: Fault): void {
    if (faults.length < ISSUES_MAX) faults.push(fault)
  }

  #compareType({ type, nullable }: JsonObject, place: Place, outcome: Outcome): boolean {
    if (type === undefined) return true
    const types = [type].flat().map(String)
    if (nullable === true) types.push('null')
    if (types.some(one => isType(one, place.value))) return true
    this.#fail(outcome, place, describeTypes(types), 'type')
    return false
  }

  #compareText(schema: JsonObject, place: Place, value: string, outcome: Outcome): void {
    const { minLength, maxLength, pattern } = schema
    const isMeasured = minLength !== undefined || maxLength !== undefined
    if (isMeasured) this.#take(value.length / CHARACTERS_PER_STEP, place)
    const length = isMeasured ? textLength(value) : 0
    if (length < Number(minLength ?? 0))
      this.#fail(outcome, place, `a text of at least ${plural(minLength, 'character')}`)
    if (length > Number(maxLength ?? Infinity))
      this.#fail(outcome, place, `a text of at most ${plural(maxLength, 'character')}`)
    if (typeof pattern === 'string' && !this.#fits(pattern, value, place, 'text'))
      this.#fail(outcome, place, `a text that matches ${pattern.slice(0, 80)}`)
  }

  #fits(pattern: string, text: string, place: Place, what: string): boolean {
    const known = this.#patterns.get(pattern) ?? linearPattern(pattern, this.#work)
    this.#patterns.set(pattern, known)
    try {
      return known.test(text)
    } catch (error) {
      if (!(error instanceof TextTooLong)) throw error
      throw new TooMuch(place, `a shorter ${what}: this one is too long for ${pattern.slice(0, 80)}`)
    }
  }

  #compareNumber(schema: JsonObject, place: Place, value: number, outcome: Outcome): void {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
    if (value < Number(minimum ?? -Infinity)) this.#fail(outcome, place, `at least ${minimum}`)
    if (value > Number(maximum ?? Infinity)) this.#fail(outcome, place, `at most ${maximum}`)
    if (exclusiveMinimum !== undefined && value <= Number(exclusiveMinimum))
      this.#fail(outcome, place, `more than ${exclusiveMinimum}`)
    if (exclusiveMaximum !== undefined && value >= Number(exclusiveMaximum))
      this.#fail(outcome, place, `less than ${exclusiveMaximum}`)
    if (multipleOf !== undefined) {
      const times = value / Number(multipleOf)
      if (times !== Number.parseInt(String(times), 10))
        this.#fail(outcome, place, `a multiple of ${multipleOf}`)
    }
  }

  #compareList(schema: JsonObject, place: Place, value: readonly unknown[], outcome: Outcome): void {
    const { minItems, maxItems, uniqueItems } = schema
    if (value.length < Number(minItems ?? 0)) this.#fail(outcome, place, `a list of at least ${minItems}`)
    if (value.length > Number(maxItems ?? Infinity))
      this.#fail(outcome, place, `a list of at most ${maxItems}`)
    if (uniqueItems === true && this.#hasDoubles(value, place))
      this.#fail(outcome, place, 'a list without doubles')
    this.#compareItems(schema, place, value, outcome)
    this.#compareContains(schema, place, value, outcome)
  }

  #hasDoubles(list: readonly unknown[], place: Place): boolean {
    const seen = new Set<string>()
    for (const item of list) {
      const text = canonical(item)
      this.#take(1 + text.length / CHARACTERS_PER_STEP, place)
      if (seen.size === seen.add(text).size) return true
    }
    return false
  }

  #compareItems(schema: JsonObject, place: Place, value: readonly unknown[], outcome: Outcome): void {
    const { items, prefixItems, additionalItems } = schema
    const tuple = Array.isArray(items) ? items : Array.isArray(prefixItems) ? prefixItems : []
    const rest = Array.isArray(items) ? additionalItems : items
    const told = indexesOf(outcome)
    for (const index of value.keys()) {
      const item = index < tuple.length ? tuple[index] : rest
      if (item === undefined) break
      told.add(index)
      this.#add(outcome, this.compare(item as Schema, place.child(index)))
    }
  }

  #compareContains(schema: JsonObject, place: Place, value: readonly unknown[], outcome: Outcome): void {
    const { contains, minContains = 1, maxContains = Infinity } = schema
    if (contains === undefined) return
    const fitting = [...value.keys()].filter(
      index => this.compare(contains as Schema, place.child(index)).faults.length === 0,
    )
    for (const index of fitting) indexesOf(outcome).add(index)
    const list = (times: string) => () => `a list with ${times}${this.#describe(contains as Schema)} in it`
    if (fitting.length < Number(minContains))
      this.#fail(outcome, place, list(minContains === 1 ? '' : `at least ${minContains} times `))
    if (fitting.length > Number(maxContains))
      this.#fail(outcome, place, list(`at most ${maxContains} times `))
  }

  #compareObject(schema: JsonObject, place: Place, value: Record<string, unknown>, outcome: Outcome): void {
    const keys = Object.keys(value)
    const { minProperties, maxProperties, required, propertyNames } = schema
    if (keys.length < Number(minProperties ?? 0))
      this.#fail(outcome, place, `an object of at least ${plural(minProperties, 'property', 'properties')}`)
    if (keys.length > Number(maxProperties ?? Infinity))
      this.#fail(outcome, place, `an object of at most ${plural(maxProperties, 'property', 'properties')}`)
    this.#require(required, schema, place, outcome)
    this.#compareProperties(schema, place, keys, outcome)
    if (propertyNames !== undefined) {
      for (const key of keys) {
        const named = new Place(key, place, key)
        for (const fault of this.compare(propertyNames as Schema, named).faults) {
          const tell = (): Issue => ({ ...fault.issue, message: `the name of ${fault.issue.message}` })
          this.#tell(outcome, new Fault(fault.place, fault.kind, tell))
        }
      }
    }
    this.#compareDependencies(schema, place, value, outcome)
  }

  #require(required: JsonValue | undefined, schema: JsonObject, place: Place, outcome: Outcome): void {
    const properties = isJsonObject(schema.properties) ? schema.properties : {}
    if (!Array.isArray(required)) return
    this.#take(required.length / LISTED_PER_STEP, place)
    for (const key of required.map(String)) {
      if (isPresent(place.value, key)) continue
      const property = Object.hasOwn(properties, key) ? properties[key] : undefined
      const expected = () => (property === undefined ? 'something' : this.#describe(property as Schema))
      this.#fail(outcome, new Place(undefined, place, key), expected)
    }
  }

  #compareProperties(schema: JsonObject, place: Place, keys: readonly string[], outcome: Outcome): void {
    const { properties = {}, patternProperties = {}, additionalProperties } = schema
    const named = properties as JsonObject
    const patterns = Object.entries(patternProperties as JsonObject)
    for (const key of keys) {
      this.#take(1, place)
      const schemas = patterns
        .filter(([pattern]) => this.#fits(pattern, key, place.child(key), 'name'))
        .map(([, one]) => one)
      if (Object.hasOwn(named, key)) schemas.push(named[key] as JsonValue)
      if (schemas.length === 0) {
        if (additionalProperties === undefined) continue
        if (additionalProperties === false) {
          this.#refuseKey(outcome, place, key, named)
          continue
        }
        schemas.push(additionalProperties)
      }
      keysOf(outcome).add(key)
      for (const one of schemas) this.#add(outcome, this.compare(one as Schema, place.child(key)))
    }
  }

  #refuseKey(outcome: Outcome, place: Place, key: string, known: JsonObject): void {
    const refused = place.child(key)
    const tell = (): Issue => {
      const left = Object.keys(known).filter(name => !isPresent(place.value, name))
      const issue = issueOf(refused.path, 'no such property', refused.value)
      return { ...issue, message: `${issue.path} is not known here${didYouMean(key, left)}` }
    }
    this.#tell(outcome, new Fault(refused, 'other', tell))
  }

  #compareDependencies(schema: JsonObject, place: Place, value: object, outcome: Outcome): void {
    const all = [schema.dependentRequired, schema.dependentSchemas, schema.dependencies]
    for (const [key, needed] of all.flatMap(one => Object.entries(one ?? {}))) {
      if (!isPresent(value, key)) continue
      if (Array.isArray(needed)) this.#require(needed, schema, place, outcome)
      else this.#add(outcome, this.compare(needed as Schema, place), place)
    }
  }

  #combine(schema: JsonObject, place: Place, outcome: Outcome): void {
    const { $ref, allOf, anyOf, oneOf, not } = schema
    if (typeof $ref === 'string')
      this.#add(outcome, this.compare(this.#targets.get($ref) ?? true, place), place)
    for (const one of Array.isArray(allOf) ? allOf : [])
      this.#add(outcome, this.compare(one as Schema, place), place)
    if (Array.isArray(anyOf)) this.#compareAlternatives(anyOf as Schema[], place, outcome, Infinity)
    if (Array.isArray(oneOf)) this.#compareAlternatives(oneOf as Schema[], place, outcome, 1)
    if (not !== undefined && this.compare(not as Schema, place).faults.length === 0)
      this.#fail(outcome, place, () => `something else than ${this.#describe(not as Schema)}`)
    if (schema.if !== undefined) {
      const condition = this.compare(schema.if as Schema, place)
      const holds = condition.faults.length === 0
      if (holds) this.#add(outcome, condition, place)
      const branch = holds ? schema.then : schema.else
      if (branch !== undefined) this.#add(outcome, this.compare(branch as Schema, place), place)
    }
  }

  #compareAlternatives(schemas: readonly Schema[], place: Place, outcome: Outcome, most: number): void {
    const outcomes = schemas.map(one => this.compare(one, place))
    const fitting = outcomes.filter(({ faults }) => faults.length === 0)
    for (const one of fitting) this.#add(outcome, one, place)
    if (fitting.length > most)
      this.#fail(
        outcome,
        place,
        `exactly one of ${schemas.length} forms, and it fits ${fitting.length} of them`,
      )
    if (fitting.length === 0)
      for (const fault of this.#nearestFaults(schemas, outcomes, place)) this.#tell(outcome, fault)
  }

  /**
   * What to say where no alternative fits: the faults of the only one that was meant, by type and by values that
   * tell alternatives apart; else one that names them all.
   */
  #nearestFaults(schemas: readonly Schema[], outcomes: readonly Outcome[], place: Place): Fault[] {
    const meant = outcomes.filter(({ faults }) => !faults.some(fault => isTelling(fault, place)))
    if (meant.length === 1) return meant[0]?.faults ?? []
    const told = meant.length === 0 ? mergedFault(outcomes, place) : null
    if (told) return [told]
    const forms = schemas.filter(
      (_, index) => meant.length === 0 || meant.includes(outcomes[index] as Outcome),
    )
    const expected = (): string => {
      const first = forms.slice(0, 10).map(form => this.#describe(form))
      return either([...first, ...(forms.length > 10 ? [`one of ${forms.length - 10} more`] : [])])
    }
    const kind = meant.length === 0 ? 'type' : 'other'
    return [new Fault(place, kind, () => issueOf(place.path, expected(), place.value))]
  }

  #compareUnevaluated(schema: JsonObject, place: Place, outcome: Outcome): void {
    const { unevaluatedProperties, unevaluatedItems } = schema
    const { value } = place
    if (unevaluatedItems !== undefined && Array.isArray(value)) {
      for (const index of value.keys()) {
        if (indexesOf(outcome).has(index)) continue
        indexesOf(outcome).add(index)
        this.#add(outcome, this.compare(unevaluatedItems as Schema, place.child(index)))
      }
    } else if (unevaluatedProperties !== undefined && typeof value === 'object' && value !== null) {
      for (const key of Object.keys(value)) {
        if (keysOf(outcome).has(key)) continue
        keysOf(outcome).add(key)
        if (unevaluatedProperties === false) this.#refuseKey(outcome, place, key, {})
        else this.#add(outcome, this.compare(unevaluatedProperties as Schema, place.child(key)))
      }
    }
  }

  /** Adds what another schema says; with `here`, of that same place, so that what it said something of counts too. */
  #add(outcome: Outcome, { faults, keys, indexes }: Outcome, here?: Place): void {
    for (const fault of faults) this.#tell(outcome, fault)
    if (!here) return
    this.#take((keys?.size ?? 0) + (indexes?.size ?? 0), here)
    for (const key of keys ?? []) keysOf(outcome).add(key)
    for (const index of indexes ?? []) indexesOf(outcome).add(index)
  }
}

function keysOf(outcome: Outcome): Set<string> {
  outcome.keys ??= new Set()
  return outcome.keys
}

function indexesOf(outcome: Outcome): Set<number> {
  outcome.indexes ??= new Set()
  return outcome.indexes
}

/** True where a fault says that another alternative was meant: another type, or another value that tells them apart. */
function isTelling({ place: { depth }, kind }: Fault, here: Place): boolean {
  if (depth === here.depth) return kind !== 'other'
  return depth === here.depth + 1 && kind === 'value'
}

/** One fault for a property that tells alternatives apart and has none of the values that do. */
function mergedFault(outcomes: readonly Outcome[], here: Place): Fault | null {
  const telling = outcomes.map(({ faults }) =>
    faults.find(({ kind, place }) => kind === 'value' && place.depth === here.depth + 1),
  )
  const [first] = telling
  const key = first?.place.step
  if (first === undefined || key === undefined || telling.some(fault => fault?.place.step !== key))
    return null
  const { place, kind } = first
  const expected = (): string => either(telling.flatMap(fault => fault?.issue.expected ?? []))
  return new Fault(place, kind, () => issueOf(place.path, expected(), here.child(key).value))
}

function isType(type: string, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    case 'number':
      return Number.isFinite(value)
    default:
      // The other names are those of the language.
      return typeof value === type
  }
}

function isPresent(holder: unknown, key: string): boolean {
  return Object.hasOwn(holder as object, key) && (holder as Record<string, unknown>)[key] !== undefined
}

function plural(count: JsonValue | undefined, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`
}

function didYouMean(value: unknown, known: readonly JsonValue[]): string {
  const near =
    typeof value === 'string' && value.length < 100
      ? nearest(value, known.filter(one => typeof one === 'string').slice(0, 100))
      : null
  return near === null ? '' : `; did you mean "${near}"?`
}
