import { attempt } from '../base/attempt.js'
import { JsonBudget, jsonBytes } from '../values/json-budget.js'
import { entriesOf, errorKeys, indexesOf, itemsOf, keysIn, typeTag, unboxed } from '../values/look-into.js'
import { pathPlaces } from '../values/path-expression.js'
import { isEncoding } from './encoding-shape.js'
import { JsonForms } from './json-form.js'

/**
 * Encodes values as JSON, and decodes them. JSON values are unchanged; any other becomes an object with
 * one key that begins with `$`:
 *
 * | value | encoding |
 * | --- | --- |
 * | undefined | `{ $undefined: true }`; as a field of an object it is left out, as JSON does |
 * | NaN, Infinity, -Infinity, -0 | `{ $number: "NaN" }` |
 * | bigint | `{ $bigint: "12" }` |
 * | registered symbol | `{ $symbol: "key" }`; any other is `{ $opaque: "Symbol(…)" }` |
 * | Date | `{ $date: "2026-01-01T00:00:00.000Z" }`, null if it is invalid |
 * | RegExp | `{ $regexp: ["a+", "g"] }` |
 * | Map, Set | `{ $map: [[key, value], …] }`, `{ $set: […] }` |
 * | Error | `{ $error: { name, message, stack, … } }`, followed by its own fields |
 * | typed array, ArrayBuffer, DataView | `{ $bytes: ["Uint8Array", "base64"] }` |
 * | URL | `{ $url: "https://…" }` |
 * | function | `{ $fn: "source" }`: becomes code again only on request |
 * | promise, WeakMap, … | `{ $opaque: "Promise" }` |
 * | an array with holes, longer than 1,000 | `{ $sparse: [length, [[index, value], …]] }` |
 * | an object that itself looks like one of these encodings | `{ $object: [[key, value], …] }` |
 * | a value that several places share | `{ $id: 1, $value: … }` at the first, `{ $ref: 1 }` at the others |
 * | a property that threw when it was read | `{ $threw: "message" }` |
 * | a value that exceeded a limit | `{ $truncated: "depth" }`, `{ $truncated: "bytes" }`; in an object it is the last key |
 * | a value to be kept secret | `"[redacted]"` |
 *
 * An instance of any other class is written as the result of its `toJSON`, or as an object of its own fields, and comes
 * back as that; `new String('a')` and the like are written as the value that they contain. Symbol keys and properties
 * that are not enumerable are left out.
 */
export interface SerializeOptions {
  /** Nesting of values, at most 500, which is the default. */
  maxDepth?: number
  /** Bytes of JSON, to within a few words. Default: 16 MiB. */
  maxBytes?: number
  /** Path expressions whose values are replaced by `[redacted]`. */
  redact?: readonly string[]
}

/** Encodes any value as JSON data; see the table above. Throws nothing but PATH_INVALID for `redact`. */
export function serialize(value: unknown, options: SerializeOptions = {}): unknown {
  const { maxDepth = DEPTH_MAX, maxBytes = 16 * 1024 * 1024, redact = [] } = options
  const depth = Math.min(maxDepth, DEPTH_MAX)
  const forms = new JsonForms()
  const root = attempt(() => forms.of(value, ''), threw)
  const redaction = new Redaction(root, redact, forms)
  if (redaction.isTooLarge) return { $truncated: 'bytes' }
  const shared = sharedIn(root, depth, forms)
  return new Writer(shared, redaction, forms, depth, new JsonBudget(maxBytes)).write(root, 0)
}

/** The second argument of `JSON.stringify`, which gets values as they are encoded. */
type Replacer = ((this: unknown, key: string, value: unknown) => unknown) | (string | number)[]

/** Returns any value as JSON, encoded as `serialize` does, with the arguments of `JSON.stringify`. */
export function stringify(
  value: unknown,
  options?: SerializeOptions | Replacer | null,
  indent?: number | string,
): string {
  const isReplacer = typeof options === 'function' || Array.isArray(options)
  const structure = serialize(value, isReplacer ? {} : (options ?? {}))
  const replacer = (isReplacer ? options : null) as null
  const text = (space?: number | string): string => JSON.stringify(structure, replacer, space) ?? 'null'
  if (indent === undefined) return text()
  try {
    return text(indent)
  } catch (error) {
    // Indenting a wide and deep value can exceed the maximum length of a string.
    if (error instanceof RangeError) return text()
    throw error
  }
}

/** In code that has not run yet, the stack allows this depth, and not much more. */
export const DEPTH_MAX = 500

/** The objects that several places share, cycles included. Values that cannot be read share nothing. */
function sharedIn(root: unknown, maxDepth: number, forms: JsonForms): Set<object> {
  const shared = new Set<object>()
  /** Sorted by depth, so that each object is visited where most of its contents can be seen. */
  const depths = new Map<object, number>()
  const meet = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || forms.isFull) return
    if (depths.has(value)) shared.add(value)
    else if (depth <= maxDepth) depths.set(value, depth)
  }
  meet(root, 0)
  for (const [value, depth] of depths) for (const inner of childrenOf(value, forms)) meet(inner, depth + 1)
  return shared
}

function childrenOf(value: object, forms: JsonForms): unknown[] {
  const formOf = (item: unknown, key = ''): unknown =>
    attempt(() => {
      const form = forms.of(item, key)
      return typeof form === 'object' && form !== null ? unboxed(form) : form
    })
  const read = (): unknown[] => {
    if (value instanceof Map) return entriesOf(value).flatMap(entry => entry.map(item => formOf(item)))
    if (value instanceof Set) return itemsOf(value).map(item => formOf(item))
    const keys = value instanceof Error ? errorKeys(value) : keysIn(value)
    return keys.map(key => formOf(Object.getOwnPropertyDescriptor(value, key)?.value, key))
  }
  return attempt(read) ?? []
}

class Writer {
  readonly #ids = new Map<object, number>()

  constructor(
    readonly shared: ReadonlySet<object>,
    readonly redaction: Redaction,
    readonly forms: JsonForms,
    readonly maxDepth: number,
    readonly budget: JsonBudget,
  ) {}

  write(value: unknown, depth: number): unknown {
    if (this.budget.isFull) return { $truncated: 'bytes' }
    if (typeof value === 'string') return this.budget.text(value)
    if (typeof value !== 'object' || value === null) return this.#whole(writePrimitive(value))
    const id = this.#ids.get(value)
    if (id !== undefined) return this.#whole({ $ref: id })
    const written = (): unknown => this.#attempt(() => this.#writeObject(value, depth))
    if (!this.shared.has(value)) return written()
    const $id = this.#ids.size + 1
    this.#ids.set(value, $id)
    this.budget.take(24)
    return { $id, $value: written() }
  }

  #attempt(write: () => unknown): unknown {
    return attempt(write, message => this.#whole(threw(message)))
  }

  /** Writes a value that is never cut: completely, or not at all. */
  #whole(written: unknown): unknown {
    return this.budget.takeWhole(jsonBytes(JSON.stringify(written))) ? written : { $truncated: 'bytes' }
  }

  #writeObject(value: object, depth: number): unknown {
    const content = unboxed(value)
    if (typeof content !== 'object') return this.write(content, depth)
    const atomic = writeAtomic(value, this.budget)
    if (atomic !== null) return this.#whole(atomic)
    if (depth >= this.maxDepth) return this.#whole({ $truncated: 'depth' })
    this.budget.take(15)
    const write = (item: unknown): unknown =>
      this.#attempt(() => this.write(this.forms.of(item, ''), depth + 1))
    if (Array.isArray(value)) return this.#list(value, depth)
    if (value instanceof Map) return { $map: this.#items(entriesOf(value), pair => this.#pair(pair, write)) }
    if (value instanceof Set) return { $set: this.#items(itemsOf(value), write) }
    if (value instanceof Error) {
      const write = (key: string): unknown => this.#field(value, key, depth)
      return { $error: Object.fromEntries(this.#entries(errorKeys(value), write)) }
    }
    return this.#mapping(value, depth)
  }

  #pair(pair: [unknown, unknown], write: (item: unknown) => unknown): unknown[] {
    this.budget.take(3)
    return pair.map(write)
  }

  #list(list: unknown[], depth: number): unknown {
    const write = (index: number): unknown => this.#field(list, String(index), depth)
    const indexes = indexesOf(list)
    if (!Array.isArray(indexes)) return this.#items(indexes, write)
    return { $sparse: [list.length, this.#items(indexes, index => [index, write(index)])] }
  }

  #items<Item>(items: Iterable<Item>, write: (item: Item) => unknown): unknown[] {
    return this.budget.items(items, write, { $truncated: 'bytes' })
  }

  #mapping(value: object, depth: number): unknown {
    const entries = this.#entries(Object.keys(value), key => this.#member(value, key, depth))
    if (!isEncoding(entries)) return Object.fromEntries(entries)
    this.budget.take(16)
    return { $object: entries }
  }

  /** Returns keys with their encoded values, without those that are not written. */
  #entries(keys: readonly string[], write: (key: string) => unknown): [string, unknown][] {
    const written = this.budget.items<string, [string, unknown]>(
      keys,
      key => {
        const bytes = jsonBytes(key) + 3
        if (!this.budget.takeWhole(bytes)) return TRUNCATED_ENTRY
        const value = write(key)
        if (value === undefined) this.budget.take(-bytes - 1)
        return [key, value]
      },
      TRUNCATED_ENTRY,
    )
    return written.filter(([, value]) => value !== undefined)
  }

  /** Writes an item of an array, or a field of an error. */
  #field(holder: object, key: string, depth: number): unknown {
    const written = this.#member(holder, key, depth)
    return written === undefined ? this.#whole(writePrimitive(undefined)) : written
  }

  /** Writes a field of an object; undefined if JSON has no value for it. */
  #member(holder: object, key: string, depth: number): unknown {
    if (this.redaction.has(holder, key)) return this.#whole(REDACTED)
    return this.#attempt(() => {
      const value = this.redaction.read(holder, key)
      return value === undefined ? undefined : this.write(value, depth + 1)
    })
  }
}

function threw(message: string): { $threw: string } {
  return { $threw: message.slice(0, 1000) }
}

const REDACTED = '[redacted]'
const TRUNCATED_ENTRY: [string, unknown] = ['$truncated', 'bytes']

function writePrimitive(value: unknown): unknown {
  switch (typeof value) {
    case 'undefined':
      return { $undefined: true }
    case 'bigint':
      return { $bigint: String(value) }
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0)
        ? value
        : { $number: Object.is(value, -0) ? '-0' : String(value) }
    case 'symbol': {
      const key = Symbol.keyFor(value)
      return key === undefined ? { $opaque: String(value) } : { $symbol: key }
    }
    case 'function':
      return { $fn: attempt(() => Function.prototype.toString.call(value)) ?? '' }
    default:
      return value
  }
}

/** Writes objects without meaningful fields, as a whole. Null for all others. */
function writeAtomic(value: object, budget: JsonBudget): unknown {
  if (value instanceof Date) {
    const time = Date.prototype.getTime.call(value)
    return { $date: Number.isNaN(time) ? null : new Date(time).toISOString() }
  }
  if (value instanceof RegExp) return { $regexp: [String(value.source), String(value.flags)] }
  if (value instanceof URL) return { $url: String(value.href) }
  if (value instanceof ArrayBuffer) return writeBytes(value, new Uint8Array(value), budget)
  if (ArrayBuffer.isView(value)) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    return writeBytes(value, bytes, budget)
  }
  const isOpaque =
    value instanceof Promise ||
    value instanceof WeakMap ||
    value instanceof WeakSet ||
    value instanceof WeakRef
  return isOpaque ? { $opaque: typeTag(value) } : null
}

function writeBytes(value: object, bytes: Uint8Array, budget: JsonBudget): unknown {
  const isTooLong = !budget.hasRoomFor((bytes.length * 4) / 3)
  return isTooLong ? { $truncated: 'bytes' } : { $bytes: [typeTag(value), toBase64(bytes)] }
}

function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

/** The places of a value that must be kept secret. */
class Redaction {
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
