/**
 * Returns the result of an object's `toJSON`, as `JSON.stringify` writes it; a value without one, or with an
 * special encoding like a date, unchanged. Throws errors of `toJSON`.
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

/** Calls `jsonForm` once for each object, for values that are read more than once. */
export class JsonForms {
  readonly #forms = new Map<object, unknown>()

  of(value: unknown, key: string): unknown {
    if (typeof value !== 'object' || value === null) return value
    if (this.#forms.has(value)) return this.#forms.get(value)
    const form = jsonForm(value, key)
    if (form !== value && !this.isFull) this.#forms.set(value, form)
    return form
  }

  /** True if so many were called that there may be no end to them. */
  get isFull(): boolean {
    return this.#forms.size >= FORMS_MAX
  }
}

const FORMS_MAX = 100_000
