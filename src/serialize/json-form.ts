/**
 * What an object says by `toJSON` that is to be written in its place, as `JSON.stringify` asks it. Any other value is
 * written as it is, and so is one that has words or an encoding of its own, like a date. Throws what `toJSON` throws.
 */
export function jsonForm(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return value
  const { toJSON } = value as { toJSON?: unknown }
  return typeof toJSON === 'function' && !isEncoded(value) ? toJSON.call(value, key) : value
}

function isEncoded(value: object): boolean {
  return ArrayBuffer.isView(value) || ENCODED.some(kind => value instanceof kind)
}

const ENCODED = [
  ...[Date, RegExp, Map, Set, Error, URL, ArrayBuffer],
  ...[Promise, WeakMap, WeakSet, WeakRef],
]

/** The same for a value that is looked through more than once: each object is asked once. */
export class JsonForms {
  readonly #forms = new Map<object, unknown>()

  of(value: unknown, key: string): unknown {
    if (typeof value !== 'object' || value === null) return value
    if (this.#forms.has(value)) return this.#forms.get(value)
    const form = jsonForm(value, key)
    if (form !== value && !this.isFull) this.#forms.set(value, form)
    return form
  }

  /** True where so many were asked that there may be no end to them. */
  get isFull(): boolean {
    return this.#forms.size >= FORMS_MAX
  }
}

const FORMS_MAX = 100_000
