import { attempt } from '../base/attempt.js'
import { pathPlaces } from '../values/path-expression.js'
import type { JsonForms } from './json-form.js'

/** The places of a value that must be kept secret. */
export class Redaction {
  /** True if the value never ends, so that not all of its secrets can be found. */
  readonly isTooLarge: boolean
  readonly #places: Map<object, Set<string>>
  /** The values that were read, so that a value that changes with each read is written as it was checked. */
  readonly #known = new Map<object, Map<string, unknown>>()
  #reads = 0

  constructor(
    value: unknown,
    redact: readonly string[],
    readonly forms: JsonForms,
  ) {
    this.#places = redact.length === 0 ? new Map() : pathPlaces(value, redact, ENDLESS, this.#readOnce)
    this.isTooLarge = this.#reads > READS_MAX
  }

  has(holder: object, key: string): boolean {
    return this.#places.get(holder)?.has(key) === true
  }

  read(holder: object, key: string): unknown {
    const known = this.#known.get(holder)
    return known?.has(key) ? known.get(key) : this.#form(holder, key)
  }

  #form(holder: object, key: string): unknown {
    return this.forms.of((holder as Record<string, unknown>)[key], key)
  }

  #readOnce = (holder: object, key: string): unknown => {
    if (this.#reads++ > READS_MAX) return undefined
    const known = this.#known.get(holder) ?? new Map<string, unknown>()
    this.#known.set(holder, known)
    if (!known.has(key)) {
      const form = attempt(() => this.#form(holder, key))
      known.set(key, form)
    }
    return known.get(key)
  }
}

const READS_MAX = 1_000_000
/** Only reads are counted here. */
const ENDLESS = { left: Number.POSITIVE_INFINITY }
