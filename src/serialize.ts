import { AgentAppsError } from './error.js'
import { pathPlaces } from './path-expression.js'

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
 * | a mapping with a key that begins with `$` or is `__proto__` | `{ $object: [[key, value], …] }` |
 * | what several places share | `{ $id: 1, $value: … }` at the first, `{ $ref: 1 }` at the others |
 * | what threw when it was read | `{ $threw: "message" }` |
 * | what a limit left out | `{ $truncated: "depth" }`, `{ $truncated: "bytes" }` |
 * | what was to be kept secret | `"[redacted]"` |
 *
 * An instance of any other class is written as a mapping of its own fields, and comes back as one.
 */
export interface SerializeOptions {
  /** Values inside values. Default: 500. */
  maxDepth?: number
  /** Roughly how many bytes of JSON at most. Default: no limit. */
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
  const { maxDepth = 500, maxBytes = Number.POSITIVE_INFINITY, redact = [] } = options
  const shared = sharedIn(value, maxDepth)
  return new Writer(shared, secretPlaces(value, redact), maxDepth, maxBytes).write(value, 0)
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

function secretPlaces(value: unknown, redact: readonly string[]): Map<object, Set<string>> {
  return redact.length === 0 ? new Map() : pathPlaces(value, redact)
}

/** The objects that several places share, cycles among them. What cannot be looked into shares nothing. */
function sharedIn(root: unknown, maxDepth: number): Set<object> {
  const seen = new Set<object>()
  const shared = new Set<object>()
  const open: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }]
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    const { value, depth } = item
    if (typeof value !== 'object' || value === null || depth > maxDepth) continue
    if (seen.has(value)) {
      shared.add(value)
      continue
    }
    seen.add(value)
    for (const inner of childrenOf(value)) open.push({ value: inner, depth: depth + 1 })
  }
  return shared
}

function childrenOf(value: object): unknown[] {
  return attempt(
    () => {
      if (value instanceof Map) return [...value].flat()
      if (value instanceof Set) return [...value]
      return Object.values(Object.getOwnPropertyDescriptors(value)).flatMap(({ value: inner }) =>
        inner === undefined ? [] : [inner],
      )
    },
    () => [],
  )
}

function attempt<Result>(work: () => Result, otherwise: (message: string) => Result): Result {
  try {
    return work()
  } catch (error) {
    return otherwise(messageOf(error))
  }
}

/** What was thrown may itself throw when it is looked at. */
function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) : String(error)
  } catch {
    return 'something that cannot be shown'
  }
}

class Writer {
  #ids = new Map<object, number>()
  #bytes = 0

  constructor(
    readonly shared: ReadonlySet<object>,
    readonly secrets: ReadonlyMap<object, ReadonlySet<string>>,
    readonly maxDepth: number,
    readonly maxBytes: number,
  ) {}

  write(value: unknown, depth: number): unknown {
    if (this.#bytes > this.maxBytes) return { $truncated: 'bytes' }
    if (typeof value !== 'object' || value === null) return this.#count(writePrimitive(value))
    if (depth >= this.maxDepth) return { $truncated: 'depth' }
    const id = this.#ids.get(value)
    if (id !== undefined) return { $ref: id }
    const isShared = this.shared.has(value)
    if (isShared) this.#ids.set(value, this.#ids.size + 1)
    const written = attempt(
      () => this.#writeObject(value, depth),
      message => ({ $threw: message }),
    )
    return isShared ? { $id: this.#ids.get(value), $value: written } : written
  }

  /** Counts a leaf against the limit, and cuts a text that goes past it. */
  #count(written: unknown): unknown {
    const length = typeof written === 'string' ? written.length + 2 : 8
    const room = this.maxBytes - this.#bytes
    this.#bytes += length
    return typeof written === 'string' && length > room ? `${written.slice(0, Math.max(0, room))}…` : written
  }

  #writeObject(value: object, depth: number): unknown {
    if (Array.isArray(value)) return Array.from(value, (_, at) => this.#field(value, String(at), depth))
    if (value instanceof Map)
      return { $map: [...value].map(pair => pair.map(item => this.write(item, depth + 1))) }
    if (value instanceof Set) return { $set: [...value].map(item => this.write(item, depth + 1)) }
    if (value instanceof Error) return { $error: this.#errorFields(value, depth) }
    return writeAtomic(value) ?? this.#mapping(value, Object.keys(value), depth)
  }

  #errorFields(error: Error, depth: number): unknown {
    const keys = new Set([
      'name',
      'message',
      'stack',
      ...('cause' in error ? ['cause'] : []),
      ...Object.keys(error),
    ])
    return this.#mapping(error, [...keys], depth)
  }

  #mapping(value: object, keys: readonly string[], depth: number): unknown {
    const entries: [string, unknown][] = []
    for (const key of keys) {
      if (this.#bytes > this.maxBytes) {
        entries.push(['…', { $truncated: 'bytes' }])
        break
      }
      this.#bytes += key.length + 4
      entries.push([key, this.#field(value, key, depth)])
    }
    return keys.some(key => key.startsWith('$') || key === '__proto__')
      ? { $object: entries }
      : Object.fromEntries(entries)
  }

  #field(holder: object, key: string, depth: number): unknown {
    if (this.secrets.get(holder)?.has(key)) return REDACTED
    return attempt(
      () => this.write((holder as Record<string, unknown>)[key], depth + 1),
      message => ({ $threw: message }),
    )
  }
}

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
function writeAtomic(value: object): unknown {
  if (value instanceof Date) return { $date: Number.isNaN(value.getTime()) ? null : value.toISOString() }
  if (value instanceof RegExp) return { $regexp: [value.source, value.flags] }
  if (value instanceof URL) return { $url: value.href }
  if (value instanceof ArrayBuffer) return { $bytes: ['ArrayBuffer', toBase64(new Uint8Array(value))] }
  if (ArrayBuffer.isView(value)) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    return { $bytes: [typeTag(value), toBase64(bytes)] }
  }
  const isOpaque =
    value instanceof Promise ||
    value instanceof WeakMap ||
    value instanceof WeakSet ||
    value instanceof WeakRef
  return isOpaque ? { $opaque: typeTag(value) } : null
}

/** `Uint8Array`, `Promise`: what an object of the language calls itself. */
function typeTag(value: object): string {
  return Object.prototype.toString.call(value).slice(8, -1)
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
  #known = new Map<unknown, unknown>()

  constructor(readonly functions: boolean) {}

  read(value: unknown, id?: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value))
      return this.#fill<unknown[]>(id, [], list => value.forEach(item => void list.push(this.read(item))))
    const [[key, content] = ['', undefined], ...others] = Object.entries(value)
    if (key === '$id' && others.length === 1 && others[0]?.[0] === '$value')
      return this.read(others[0][1], content)
    const special = others.length === 0 && key.startsWith('$')
    return special ? this.#special(key, content, value, id) : this.#mapping(Object.entries(value), id)
  }

  #special(key: string, content: unknown, whole: object, id: unknown): unknown {
    switch (key) {
      case '$undefined':
        return content === true ? undefined : whole
      case '$ref':
        return this.#known.get(content)
      case '$object':
        return this.#mapping(pairs(content), id)
      case '$map':
        return this.#fill(id, new Map<unknown, unknown>(), map =>
          pairs(content).forEach(([name, item]) => map.set(this.read(name), this.read(item))),
        )
      case '$set':
        return this.#fill(id, new Set<unknown>(), set =>
          listOf(content).forEach(item => set.add(this.read(item))),
        )
      case '$error':
        return this.#fill(id, new Error(), error => readError(error, this.read(content)))
      case '$fn':
        return this.functions && typeof content === 'string' ? reviveFunction(content) : whole
      default:
        return this.#keep(id, readAtomic(key, content) ?? whole)
    }
  }

  #mapping(entries: [string, unknown][], id: unknown): unknown {
    return this.#fill(id, {}, object => {
      for (const [key, item] of entries) define(object, String(key), this.read(item))
    })
  }

  /** Makes an object known by its number before it is filled, so that it can hold itself. */
  #fill<Value extends object>(id: unknown, empty: Value, fill: (value: Value) => void): Value {
    this.#keep(id, empty)
    fill(empty)
    return empty
  }

  #keep(id: unknown, value: unknown): unknown {
    if (id !== undefined) this.#known.set(id, value)
    return value
  }
}

/** Sets an own property, whatever it is called: `__proto__` too is only a name. */
function define(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}

function readError(error: Error, fields: unknown): void {
  for (const [key, value] of Object.entries(fields ?? {})) {
    const enumerable = !['name', 'message', 'stack', 'cause'].includes(key)
    Object.defineProperty(error, key, { value, writable: true, enumerable, configurable: true })
  }
}

/** What a single-key mapping stands for; undefined where it stands for itself. */
function readAtomic(key: string, content: unknown): unknown {
  if (key === '$number') return content === '-0' ? -0 : Number(content)
  if (key === '$date') return new Date(content === null ? Number.NaN : String(content))
  if (typeof content === 'string') {
    if (key === '$bigint')
      return attempt<unknown>(
        () => BigInt(content),
        () => undefined,
      )
    if (key === '$symbol') return Symbol.for(content)
    if (key === '$url')
      return attempt<unknown>(
        () => new URL(content),
        () => undefined,
      )
  }
  const [first, second] = listOf(content)
  if (key === '$regexp')
    return attempt<unknown>(
      () => new RegExp(String(first), String(second)),
      () => undefined,
    )
  if (key === '$bytes' && typeof first === 'string' && Object.hasOwn(BYTES, first)) {
    return attempt<unknown>(
      () => BYTES[first]?.(fromBase64(String(second))),
      () => undefined,
    )
  }
  return undefined
}

function fromBase64(text: string): ArrayBuffer {
  return Uint8Array.from(atob(text), character => character.charCodeAt(0)).buffer
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function pairs(value: unknown): [string, unknown][] {
  return listOf(value).filter((pair): pair is [string, unknown] => Array.isArray(pair) && pair.length === 2)
}

function reviveFunction(source: string): unknown {
  try {
    // A method's source begins with its name, which only means something inside an object.
    const isMethod = !/^(?:async\s+)?(?:function\b|\(|[\w$]+\s*=>)|^class\b/.test(source)
    return isMethod
      ? Object.values(new Function(`return { ${source} }`)())[0]
      : new Function(`return (${source})`)()
  } catch (cause) {
    throw new AgentAppsError(
      'FUNCTION_INVALID',
      `A function's source is no code: ${(cause as Error).message}`,
      { hint: 'Native and bound functions have no source that could be run.', cause },
    )
  }
}
