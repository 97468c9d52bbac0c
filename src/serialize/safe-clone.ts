import { attempt } from '../base/attempt.js'
import { JsonBudget } from '../values/json-budget.js'
import { describeBytes, entriesOf, errorKeys, itemsOf, unboxed, upTo } from '../values/look-into.js'
import { jsonForm } from './json-form.js'

/** Options of plain copies for people and logs. To restore a value, use `serialize`. */
export interface SafeCloneOptions {
  /** Nesting of values, at most 1,000. Default: 100. */
  maxDepth?: number
  /** Bytes of JSON, to within a few words. Default: 4 MiB. */
  maxBytes?: number
  /** `name`, the default: functions become words. `omit`: they are left out. */
  functions?: 'name' | 'omit'
}

const TRUNCATED = '[Truncated]'
const UNNAMED = (): string => ''

/**
 * Returns a deep copy of any value as plain JSON-safe data. Functions, promises, cycles and values that
 * exceed a limit become words like `[Function: name]` and `[Circular]`; maps become objects, sets arrays,
 * dates strings, and any other object with `toJSON` its result. Never throws.
 */
export function safeClone(
  value: unknown,
  { maxDepth = 100, maxBytes = 4 * 1024 * 1024, functions = 'name' }: SafeCloneOptions = {},
): unknown {
  return new Copier(Math.min(maxDepth, 1000), new JsonBudget(maxBytes), functions).copy(value, 0)
}

/** Returns a small copy of any value for events and diagnostics. Never throws. */
export function safeSnapshot(value: unknown, maxDepth = 4, maxBytes = 10 * 1024): unknown {
  return safeClone(value, { maxDepth, maxBytes })
}

/** `JSON.stringify` for any value, functions, promises and cycles included. Never throws. */
export function safeStringify(value: unknown, indent?: number | string): string {
  const clone = safeClone(value)
  // Indenting a wide and deep value can exceed the maximum length of a string.
  return attempt(
    () => JSON.stringify(clone, null, indent) ?? 'null',
    () => JSON.stringify(clone),
  )
}

class Copier {
  readonly #above = new Set<object>()

  constructor(
    readonly maxDepth: number,
    readonly budget: JsonBudget,
    readonly functions: 'name' | 'omit',
  ) {}

  copy(value: unknown, depth: number, key = ''): unknown {
    if (this.budget.isFull) return TRUNCATED
    if (typeof value === 'function' && this.functions === 'omit') return undefined
    if (typeof value !== 'object' || value === null) return this.#leaf(leaf(value))
    if (this.#above.has(value)) return this.#leaf('[Circular]')
    this.#above.add(value)
    const copy = attempt(
      () => this.#copyForm(value, jsonForm(value, key), depth),
      message => this.#leaf(`[Threw: ${message}]`),
    )
    this.#above.delete(value)
    return copy
  }

  /** Returns the copy of an object, or of the result of its `toJSON`, whose own `toJSON` is not called. */
  #copyForm(value: object, form: unknown, depth: number): unknown {
    if (form === value) return this.#copyObject(value, depth)
    if (typeof form !== 'object' || form === null) return this.copy(form, depth)
    if (this.#above.has(form)) return this.#leaf('[Circular]')
    this.#above.add(form)
    const copy = this.#copyObject(form, depth)
    this.#above.delete(form)
    return copy
  }

  #leaf(value: unknown): unknown {
    if (typeof value === 'string') return this.budget.text(value)
    this.budget.take(String(value).length)
    return value
  }

  #copyObject(value: object, depth: number): unknown {
    if (value instanceof Date) return this.#leaf(dateText(value))
    if (value instanceof RegExp || value instanceof URL) return this.#leaf(String(value))
    if (value instanceof Promise) return this.#leaf('[Promise]')
    const content = unboxed(value)
    if (typeof content !== 'object') return this.#leaf(leaf(content))
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return this.#leaf(describeBytes(value))
    const isList = Array.isArray(value)
    if (depth >= this.maxDepth) return this.#leaf(isList ? '[Array]' : '[Object]')
    if (isList) return this.#list(upTo(value.length), at => value[at], String, depth)
    if (value instanceof Set) return this.#list(itemsOf(value), item => item, UNNAMED, depth)
    if (value instanceof Map) return this.#map(entriesOf(value), depth)
    const keys = value instanceof Error ? errorKeys(value) : Object.keys(value)
    return this.#mapping(keys, key => (value as Record<string, unknown>)[key], depth)
  }

  #map(entries: [unknown, unknown][], depth: number): unknown {
    if (!entries.every(([key]) => typeof key === 'string'))
      return this.#list(entries, pair => pair, UNNAMED, depth)
    const map = new Map(entries as [string, unknown][])
    return this.#mapping(map.keys(), key => map.get(key), depth)
  }

  #list<Item>(
    items: Iterable<Item>,
    read: (item: Item) => unknown,
    keyOf: (item: Item) => string,
    depth: number,
  ): unknown[] {
    return this.budget.items<Item, unknown>(
      items,
      item => this.#read(() => read(item), depth, keyOf(item)) ?? null,
      TRUNCATED,
    )
  }

  #mapping(keys: Iterable<string>, read: (key: string) => unknown, depth: number): Record<string, unknown> {
    const entries = this.budget.items<string, [string, unknown]>(
      keys,
      key => [this.budget.text(key), this.#read(() => read(key), depth, key)],
      ['…', TRUNCATED],
    )
    return Object.fromEntries(entries.filter(([, item]) => item !== undefined))
  }

  #read(read: () => unknown, depth: number, key: string): unknown {
    return this.copy(
      attempt(read, message => `[Threw: ${message}]`),
      depth + 1,
      key,
    )
  }
}

function dateText(date: Date): string {
  return Number.isNaN(Date.prototype.getTime.call(date))
    ? 'Invalid Date'
    : Date.prototype.toISOString.call(date)
}

function leaf(value: unknown): unknown {
  switch (typeof value) {
    case 'function':
      return `[Function: ${attempt(() => String((value as { name: unknown }).name)) || 'anonymous'}]`
    case 'symbol':
      return String(value)
    case 'bigint':
      return `${value}n`
    case 'number':
      return Number.isFinite(value) ? value : String(value)
    default:
      return value
  }
}
