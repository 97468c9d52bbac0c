import { attempt } from './attempt.js'
import { JsonRoom, jsonBytes } from './json-room.js'
import { entriesOf, errorKeys, indexesOf, itemsOf, keysIn, typeTag, unboxed } from './look-into.js'
import { Redaction } from './redaction.js'

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
  /** Values inside values, at most 500, which is the default. */
  maxDepth?: number
  /** Bytes of JSON, to within a few words. Default: 16 MiB. */
  maxBytes?: number
  /** Path expressions whose values are replaced by `[redacted]`. */
  redact?: readonly string[]
}

/** Any value as a structure that JSON can hold; see the table above. Never throws, but PATH_INVALID for `redact`. */
export function serialize(value: unknown, options: SerializeOptions = {}): unknown {
  const { maxDepth = DEPTH_MAX, maxBytes = 16 * 1024 * 1024, redact = [] } = options
  const depth = Math.min(maxDepth, DEPTH_MAX)
  const redaction = new Redaction(value, redact)
  if (redaction.isTooLarge) return { $truncated: 'bytes' }
  return new Writer(sharedIn(value, depth), redaction, depth, new JsonRoom(maxBytes)).write(value, 0)
}

/** Any value as JSON text, as `serialize` encodes it. */
export function stringify(value: unknown, options: SerializeOptions = {}): string {
  return JSON.stringify(serialize(value, options))
}

/** The stack reaches this far in code that has not run yet, and not much farther. */
export const DEPTH_MAX = 500

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
    readonly redaction: Redaction,
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
    if (this.redaction.has(holder, key)) return this.#whole(REDACTED)
    return attempt(
      () => this.write(this.redaction.read(holder, key), depth + 1),
      message => this.#whole({ $threw: message.slice(0, 1000) }),
    )
  }
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
