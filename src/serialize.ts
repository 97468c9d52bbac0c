import { attempt } from './attempt.js'
import { AgentAppsError } from './error.js'
import { isJsonObject } from './json.js'
import { JsonRoom, jsonBytes } from './json-room.js'
import { entriesOf, errorKeys, indexesOf, itemsOf, keysIn, typeTag, unboxed } from './look-into.js'
import { pathPlaces, readOwn } from './path-expression.js'

/**
 * Values as JSON, and back. What JSON has stays as it is; everything else is a mapping with one key that begins
 * with `$`:
 *
 * | value | encoding |
 * | --- | --- |
 * | undefined | `{ $undefined: true }` |
 * | NaN, Infinity, -Infinity, -0 | `{ $number: "NaN" }` |
 * | bigint | `{ $bigint: "12" }` |
 * | registered symbol | `{ $symbol: "key" }`; any other is `{ $opaque: "Symbol(…)" }` |
 * | Date | `{ $date: "2026-01-01T00:00:00.000Z" }`, null where it is invalid |
 * | RegExp | `{ $regexp: ["a+", "g"] }` |
 * | Map, Set | `{ $map: [[key, value], …] }`, `{ $set: […] }` |
 * | Error | `{ $error: { name, message, stack, … } }`, its own fields besides |
 * | typed array, ArrayBuffer, DataView | `{ $bytes: ["Uint8Array", "base64"] }` |
 * | URL | `{ $url: "https://…" }` |
 * | function | `{ $fn: "source" }`: code again only where the reader asks for it |
 * | promise, WeakMap, … | `{ $opaque: "Promise" }` |
 * | a list with holes, longer than 1,000 | `{ $sparse: [length, [[index, value], …]] }` |
 * | a mapping with a key that begins with `$` or is `__proto__` | `{ $object: [[key, value], …] }` |
 * | what several places share | `{ $id: 1, $value: … }` at the first, `{ $ref: 1 }` at the others |
 * | what threw when it was read | `{ $threw: "message" }` |
 * | what a limit left out | `{ $truncated: "depth" }`, `{ $truncated: "bytes" }`; in a mapping it is the last key |
 * | what was to be kept secret | `"[redacted]"` |
 *
 * An instance of any other class is written as a mapping of its own fields, and comes back as one; `new String('a')`
 * and its like are written as what they hold.
 * Symbols as keys, and what is not enumerable, are left out.
 */
export interface SerializeOptions {
  /** Values inside values, at most 1,000. Default: 500. */
  maxDepth?: number
  /** Bytes of JSON, to within a few words. Default: 16 MiB. */
  maxBytes?: number
  /** Path expressions whose values are replaced by `[redacted]`. */
  redact?: readonly string[]
}

export interface DeserializeOptions {
  /**
   * Make functions of `{ $fn: source }` again. That runs the text as code with all rights of this process: only
   * for text that you wrote yourself. Default: false, and they stay mappings.
   */
  functions?: boolean
}

export const REDACTED = '[redacted]'

/** Any value as a structure that JSON can hold; see the table above. Never throws, but PATH_INVALID for `redact`. */
export function serialize(value: unknown, options: SerializeOptions = {}): unknown {
  const { maxDepth = 500, maxBytes = 16 * 1024 * 1024, redact = [] } = options
  const depth = Math.min(maxDepth, DEPTH_MAX)
  const secrets = redact.length === 0 ? NO_SECRETS : new Secrets(value, redact)
  if (secrets.areTooMany) return { $truncated: 'bytes' }
  return new Writer(sharedIn(value, depth), secrets, depth, new JsonRoom(maxBytes)).write(value, 0)
}

/** What `serialize` was given. Text that is no encoding stays as it is. Throws FUNCTION_INVALID where `functions` meets no code. */
export function deserialize(value: unknown, { functions = false }: DeserializeOptions = {}): unknown {
  return new Reader(functions).read(value)
}

/** Any value as JSON text, as `serialize` encodes it. */
export function stringify(value: unknown, options: SerializeOptions = {}): string {
  return JSON.stringify(serialize(value, options))
}

/**
 * The value of a text that `stringify` made, or of any JSON.
 *
 * @throws JSON_INVALID for what is not JSON
 */
export function parse(text: string, options: DeserializeOptions = {}): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new AgentAppsError('JSON_INVALID', `The text is not JSON: ${(cause as Error).message}`, {
      hint: 'Give what stringify() or JSON.stringify() made.',
      cause,
    })
  }
  return deserialize(value, options)
}

/** Deeper than this, the stack could end. */
const DEPTH_MAX = 1000

/** Where a value holds what is to be kept secret. */
class Secrets {
  /** True where the value never ends, so that not all of its secrets can be known. */
  readonly areTooMany: boolean
  readonly #places: Map<object, Set<string>>
  /** What was read, so that what looks different at each look is written as it was judged. */
  readonly #known = new Map<object, Map<string, unknown>>()
  #reads = 0

  constructor(value: unknown, redact: readonly string[]) {
    this.#places = redact.length === 0 ? new Map() : pathPlaces(value, redact, this.#readOnce)
    this.areTooMany = this.#reads > READS_MAX
  }

  has(holder: object, key: string): boolean {
    return this.#places.get(holder)?.has(key) === true
  }

  read(holder: object, key: string): unknown {
    const known = this.#known.get(holder)
    return known?.has(key) ? known.get(key) : (holder as Record<string, unknown>)[key]
  }

  #readOnce = (holder: object, key: string): unknown => {
    if (this.#reads++ > READS_MAX) return undefined
    const known = this.#known.get(holder) ?? new Map<string, unknown>()
    this.#known.set(holder, known)
    if (!known.has(key)) known.set(key, readOwn(holder, key))
    return known.get(key)
  }
}

const READS_MAX = 1_000_000
const NO_SECRETS = new Secrets(null, [])

/** The objects that several places share, cycles among them. What cannot be looked into shares nothing. */
function sharedIn(root: unknown, maxDepth: number): Set<object> {
  const shared = new Set<object>()
  /** In the order of their depth, so that each is met where most of what it holds can be seen. */
  const depths = new Map<object, number>()
  const meet = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null) return
    if (depths.has(value)) shared.add(value)
    else if (depth <= maxDepth) depths.set(value, depth)
  }
  meet(root, 0)
  for (const [value, depth] of depths) for (const inner of childrenOf(value)) meet(inner, depth + 1)
  return shared
}

function childrenOf(value: object): unknown[] {
  return attempt<unknown[]>(
    () => {
      if (value instanceof Map) return entriesOf(value).flat()
      if (value instanceof Set) return itemsOf(value)
      if (typeof unboxed(value) !== 'object') return []
      const keys = value instanceof Error ? errorKeys(value) : keysIn(value)
      return keys.map(key => Object.getOwnPropertyDescriptor(value, key)?.value)
    },
    () => [],
  )
}

class Writer {
  readonly #ids = new Map<object, number>()

  constructor(
    readonly shared: ReadonlySet<object>,
    readonly secrets: Secrets,
    readonly maxDepth: number,
    readonly room: JsonRoom,
  ) {}

  write(value: unknown, depth: number): unknown {
    if (this.room.isFull) return { $truncated: 'bytes' }
    if (typeof value === 'string') return this.room.text(value)
    if (typeof value !== 'object' || value === null) return this.#whole(writePrimitive(value))
    const id = this.#ids.get(value)
    if (id !== undefined) return this.#whole({ $ref: id })
    const written = (): unknown =>
      attempt(
        () => this.#writeObject(value, depth),
        message => this.#whole({ $threw: message.slice(0, 1000) }),
      )
    if (!this.shared.has(value)) return written()
    const $id = this.#ids.size + 1
    this.#ids.set(value, $id)
    this.room.take(24)
    return { $id, $value: written() }
  }

  /** Something that is not cut: it is written, or left out. */
  #whole(written: unknown): unknown {
    return this.room.takeWhole(jsonBytes(JSON.stringify(written))) ? written : { $truncated: 'bytes' }
  }

  #writeObject(value: object, depth: number): unknown {
    const content = unboxed(value)
    if (typeof content !== 'object') return this.write(content, depth)
    const atomic = writeAtomic(value, this.room)
    if (atomic !== null) return this.#whole(atomic)
    if (depth >= this.maxDepth) return this.#whole({ $truncated: 'depth' })
    this.room.take(15)
    const write = (item: unknown): unknown => this.write(item, depth + 1)
    if (Array.isArray(value)) return this.#list(value, depth)
    if (value instanceof Map) return { $map: this.#items(entriesOf(value), pair => this.#items(pair, write)) }
    if (value instanceof Set) return { $set: this.#items(itemsOf(value), write) }
    if (value instanceof Error) return { $error: this.#mapping(value, errorKeys(value), depth) }
    return this.#mapping(value, Object.keys(value), depth)
  }

  #list(list: unknown[], depth: number): unknown {
    const write = (index: number): unknown => this.#field(list, String(index), depth)
    const indexes = indexesOf(list)
    if (!Array.isArray(indexes)) return this.#items(indexes, write)
    return { $sparse: [list.length, this.#items(indexes, index => [index, write(index)])] }
  }

  #items<Item>(items: Iterable<Item>, write: (item: Item) => unknown): unknown[] {
    return this.room.items(items, write, { $truncated: 'bytes' })
  }

  #mapping(value: object, keys: readonly string[], depth: number): unknown {
    const entries = this.room.items<string, [string, unknown]>(
      keys,
      key => {
        if (!this.room.takeWhole(jsonBytes(key) + 3)) return TRUNCATED_ENTRY
        return [key, this.#field(value, key, depth)]
      },
      TRUNCATED_ENTRY,
    )
    return keys.some(key => key.startsWith('$') || key === '__proto__')
      ? { $object: entries }
      : Object.fromEntries(entries)
  }

  #field(holder: object, key: string, depth: number): unknown {
    if (this.secrets.has(holder, key)) return this.#whole(REDACTED)
    return attempt(
      () => this.write(this.secrets.read(holder, key), depth + 1),
      message => this.#whole({ $threw: message.slice(0, 1000) }),
    )
  }
}

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
      return {
        $fn: attempt(
          () => Function.prototype.toString.call(value),
          () => '',
        ),
      }
    default:
      return value
  }
}

/** What is written whole: objects that say nothing by their fields. Null for those that do. */
function writeAtomic(value: object, room: JsonRoom): unknown {
  if (value instanceof Date) {
    const time = Date.prototype.getTime.call(value)
    return { $date: Number.isNaN(time) ? null : new Date(time).toISOString() }
  }
  if (value instanceof RegExp) return { $regexp: [String(value.source), String(value.flags)] }
  if (value instanceof URL) return { $url: String(value.href) }
  if (value instanceof ArrayBuffer) return writeBytes(value, new Uint8Array(value), room)
  if (ArrayBuffer.isView(value)) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    return writeBytes(value, bytes, room)
  }
  const isOpaque =
    value instanceof Promise ||
    value instanceof WeakMap ||
    value instanceof WeakSet ||
    value instanceof WeakRef
  return isOpaque ? { $opaque: typeTag(value) } : null
}

function writeBytes(value: object, bytes: Uint8Array, room: JsonRoom): unknown {
  const isTooLong = !room.hasRoomFor((bytes.length * 4) / 3)
  return isTooLong ? { $truncated: 'bytes' } : { $bytes: [typeTag(value), toBase64(bytes)] }
}

function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

const BYTES: Readonly<Record<string, (buffer: ArrayBuffer) => unknown>> = {
  ArrayBuffer: buffer => buffer,
  BigInt64Array: buffer => new BigInt64Array(buffer),
  BigUint64Array: buffer => new BigUint64Array(buffer),
  DataView: buffer => new DataView(buffer),
  Float32Array: buffer => new Float32Array(buffer),
  Float64Array: buffer => new Float64Array(buffer),
  Int16Array: buffer => new Int16Array(buffer),
  Int32Array: buffer => new Int32Array(buffer),
  Int8Array: buffer => new Int8Array(buffer),
  Uint16Array: buffer => new Uint16Array(buffer),
  Uint32Array: buffer => new Uint32Array(buffer),
  Uint8Array: buffer => new Uint8Array(buffer),
  Uint8ClampedArray: buffer => new Uint8ClampedArray(buffer),
}

class Reader {
  /** What was read of each structure, for those that are met again. */
  readonly #made = new Map<object, unknown>()
  readonly #byId = new Map<unknown, unknown>()
  #depth = 0
  #tooDeep = 0
  /** The error for a function that is no code: the only one that is handed on. */
  #invalid: unknown = this

  constructor(readonly functions: boolean) {}

  read(value: unknown, id?: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value
    if (this.#made.has(value)) return this.#made.get(value)
    if (this.#depth >= READ_DEPTH_MAX) this.#tooDeep++
    // What is too deep again and again may have no end.
    if (this.#depth >= READ_DEPTH_MAX || this.#tooDeep > TOO_DEEP_MAX) return value
    this.#depth++
    try {
      return this.#readObject(value, id)
    } catch (error) {
      if (error === this.#invalid) throw error
      if (isRangeError(error)) this.#tooDeep++
      return value
    } finally {
      this.#depth--
    }
  }

  #readObject(value: object, id: unknown): unknown {
    if (Array.isArray(value)) {
      const indexes = indexesOf(value)
      return this.#fill(value, id, Array.isArray(indexes) ? sparseList(value.length) : [], list => {
        for (const index of indexes) list[index] = this.read(value[index])
      })
    }
    // What no JSON makes, bytes or a map, holds no encodings.
    if (typeTag(value) !== 'Object') return value
    const entries = Object.entries(value)
    const [[key, content] = ['', undefined], second] = entries
    if (entries.length === 2 && key === '$id' && second?.[0] === '$value')
      return this.read(second[1], content)
    const isEncoding = entries.length === 1 && key.startsWith('$')
    return isEncoding ? this.#readEncoding(key, content, value, id) : this.#readMapping(entries, value, id)
  }

  #readEncoding(key: string, content: unknown, whole: object, id: unknown): unknown {
    switch (key) {
      case '$undefined':
        return content === true ? undefined : whole
      case '$ref':
        return this.#byId.has(content) ? this.#byId.get(content) : whole
      case '$object':
        return this.#readMapping(pairs(content), whole, id)
      case '$map':
        return this.#fill(whole, id, new Map<unknown, unknown>(), map => {
          for (const [name, item] of pairs(content)) map.set(this.read(name), this.read(item))
        })
      case '$set':
        return this.#fill(whole, id, new Set<unknown>(), set => {
          for (const item of listOf(content)) set.add(this.read(item))
        })
      case '$sparse':
        return this.#readSparse(content, whole, id)
      case '$error':
        return this.#fill(whole, id, emptyError(content), error => readError(error, this.read(content)))
      case '$fn':
        return this.functions && typeof content === 'string' ? this.#readFunction(content) : whole
      default: {
        const read = readAtomic(key, content) ?? whole
        return this.#keep(whole, id, read)
      }
    }
  }

  #readSparse(content: unknown, whole: object, id: unknown): unknown {
    const [length, items] = listOf(content)
    if (!isLength(length)) return whole
    return this.#fill(whole, id, sparseList(length), list => {
      for (const [index, item] of pairs(items)) list[Number(index)] = this.read(item)
    })
  }

  #readFunction(source: string): unknown {
    try {
      return reviveFunction(source)
    } catch (error) {
      this.#invalid = error
      throw error
    }
  }

  #readMapping(entries: [unknown, unknown][], whole: object, id: unknown): unknown {
    return this.#fill(whole, id, {}, object => {
      for (const [key, item] of entries) define(object, String(key), this.read(item))
    })
  }

  /** Makes a value known before it is filled, so that it can hold itself. */
  #fill<Value extends object>(whole: object, id: unknown, empty: Value, fill: (value: Value) => void): Value {
    this.#keep(whole, id, empty)
    fill(empty)
    return empty
  }

  #keep(whole: object, id: unknown, value: unknown): unknown {
    this.#made.set(whole, value)
    if (id !== undefined) this.#byId.set(id, value)
    return value
  }
}

/** A value that is `DEPTH_MAX` deep takes up to three structures for each. */
const READ_DEPTH_MAX = 3 * DEPTH_MAX
const TOO_DEEP_MAX = 100

/** What was thrown may be a proxy that throws when it is asked. */
function isRangeError(thrown: unknown): boolean {
  return attempt(
    () => thrown instanceof RangeError,
    () => false,
  )
}

function isLength(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < 2 ** 32 && Number.isInteger(value)
}

/** A list of nothing but holes, which takes no memory for them, as `new Array(length)` does. */
function sparseList(length: number): unknown[] {
  const list: unknown[] = []
  if (length > 0) list[length - 1] = null
  delete list[length - 1]
  return list
}

/** Sets an own property, whatever it is called: `__proto__` too is only a name. */
function define(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}

const ERRORS: Readonly<Record<string, () => Error>> = {
  AggregateError: () => new AggregateError([]),
  EvalError: () => new EvalError(),
  RangeError: () => new RangeError(),
  ReferenceError: () => new ReferenceError(),
  SyntaxError: () => new SyntaxError(),
  TypeError: () => new TypeError(),
  URIError: () => new URIError(),
}

/** An error of the class that its encoding names, where that is one of the language's own. */
function emptyError(content: unknown): Error {
  const fields =
    isJsonObject(content) && '$object' in content ? Object.fromEntries(pairs(content.$object)) : content
  const name = isJsonObject(fields) && typeof fields.name === 'string' ? fields.name : ''
  return Object.hasOwn(ERRORS, name) ? (ERRORS[name]?.() ?? new Error()) : new Error()
}

function readError(error: Error, fields: unknown): void {
  const hidden = ['name', 'message', 'stack', 'cause', ...(error instanceof AggregateError ? ['errors'] : [])]
  delete error.stack
  for (const [key, value] of Object.entries(fields ?? {})) {
    if (key === 'name' && error.name === value) continue
    Object.defineProperty(error, key, {
      value,
      writable: true,
      enumerable: !hidden.includes(key),
      configurable: true,
    })
  }
}

/** What a mapping of one key stands for; undefined where it stands for itself. */
function readAtomic(key: string, content: unknown): unknown {
  return attempt<unknown>(
    () => (Object.hasOwn(ATOMIC, key) ? ATOMIC[key]?.(content) : undefined),
    () => undefined,
  )
}

const NUMBERS = ['NaN', 'Infinity', '-Infinity', '-0']

const ATOMIC: Readonly<Record<string, (content: unknown) => unknown>> = {
  $bigint: content => (typeof content === 'string' ? BigInt(content) : undefined),
  $bytes: content => {
    const [type, base64] = listOf(content)
    const isKnown = typeof type === 'string' && Object.hasOwn(BYTES, type) && typeof base64 === 'string'
    return isKnown ? BYTES[type]?.(fromBase64(base64)) : undefined
  },
  $date: content => {
    const date = new Date(content === null ? Number.NaN : String(content))
    return content === null || !Number.isNaN(date.getTime()) ? date : undefined
  },
  $number: content => (NUMBERS.some(known => known === content) ? Number(content) : undefined),
  $regexp: content => {
    const [source, flags] = listOf(content)
    return typeof source === 'string' && typeof flags === 'string' ? new RegExp(source, flags) : undefined
  },
  $symbol: content => (typeof content === 'string' ? Symbol.for(content) : undefined),
  $url: content => (typeof content === 'string' ? new URL(content) : undefined),
}

function fromBase64(text: string): ArrayBuffer {
  return Uint8Array.from(atob(text), character => character.charCodeAt(0)).buffer
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function pairs(value: unknown): [unknown, unknown][] {
  return listOf(value).filter((pair): pair is [unknown, unknown] => Array.isArray(pair) && pair.length === 2)
}

function reviveFunction(source: string): unknown {
  try {
    return (parsed(`(${source})`) ?? parsed(methodOf(source)) ?? fail(source))()
  } catch (cause) {
    throw new AgentAppsError(
      'FUNCTION_INVALID',
      `A function's source is no code that runs: ${(cause as Error).message}`,
      { hint: 'Native and bound functions have no source that could be run.', cause },
    )
  }
}

/** A method's source begins with its name, which only means something inside an object. */
function methodOf(source: string): string {
  return `Object.values(Object.getOwnPropertyDescriptors({ ${source} })).map(it => it.value ?? it.get ?? it.set)[0]`
}

function parsed(expression: string): (() => unknown) | null {
  try {
    return new Function(`return ${expression}`) as () => unknown
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

function fail(source: string): never {
  throw new SyntaxError(source.slice(0, 100))
}
