/**
 * Plain copies for people and logs: what is no JSON becomes words. To get the value back, use `serialize`.
 */
export interface SafeCloneOptions {
  /** Values inside values. Default: 100. */
  maxDepth?: number
  /** Roughly how many bytes of JSON at most. Default: no limit. */
  maxBytes?: number
}

/**
 * A deep copy of any value as plain JSON-safe data: functions, promises, cycles and what is cut off become words
 * like `[Function: name]` and `[Circular]`; maps become mappings, sets lists, dates texts. Never throws.
 */
export function safeClone(
  value: unknown,
  { maxDepth = 100, maxBytes = Number.POSITIVE_INFINITY }: SafeCloneOptions = {},
): unknown {
  return new Copier(maxDepth, maxBytes).copy(value, 0)
}

/** A small copy of any value for events and diagnostics. Never throws. */
export function safeSnapshot(value: unknown, maxDepth = 4, maxBytes = 10 * 1024): unknown {
  return safeClone(value, { maxDepth, maxBytes })
}

/** `JSON.stringify` for any value, functions, promises and cycles included. Never throws. */
export function safeStringify(value: unknown, indent?: number): string {
  return JSON.stringify(safeClone(value), null, indent) ?? 'null'
}

class Copier {
  readonly #above = new Set<object>()
  #room: number

  constructor(
    readonly maxDepth: number,
    maxBytes: number,
  ) {
    this.#room = maxBytes
  }

  copy(value: unknown, depth: number): unknown {
    if (this.#room <= 0) return '[Truncated]'
    if (typeof value !== 'object' || value === null) return this.#take(leaf(value))
    if (this.#above.has(value)) return this.#take('[Circular]')
    if (depth >= this.maxDepth)
      return this.#take(Array.isArray(tried(() => [...(value as unknown[])])) ? '[Array]' : '[Object]')
    this.#above.add(value)
    try {
      return this.#copyObject(value, depth)
    } catch (error) {
      return this.#take(`[Threw: ${messageOf(error)}]`)
    } finally {
      this.#above.delete(value)
    }
  }

  /** Counts a leaf, and cuts a text that is longer than what room is left. */
  #take(value: unknown): unknown {
    const length = typeof value === 'string' ? value.length + 2 : 8
    const cut = typeof value === 'string' && length > this.#room
    const kept = cut ? `${value.slice(0, Math.max(0, this.#room))}…` : value
    this.#room -= length
    return kept
  }

  #copyObject(value: object, depth: number): unknown {
    if (Array.isArray(value)) return this.#list(value, depth)
    if (value instanceof Set) return this.#list([...value], depth)
    if (value instanceof Map) return this.#map(value, depth)
    if (value instanceof Date)
      return this.#take(Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString())
    if (value instanceof RegExp || value instanceof URL) return this.#take(String(value))
    if (value instanceof Promise) return this.#take('[Promise]')
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
      return this.#take(`[${typeTag(value)}: ${value.byteLength} bytes]`)
    const keys =
      value instanceof Error
        ? [...new Set(['name', 'message', 'stack', ...Object.keys(value)])]
        : Object.keys(value)
    return this.#mapping(
      keys.map(key => [key, () => (value as Record<string, unknown>)[key]]),
      depth,
    )
  }

  #map(map: Map<unknown, unknown>, depth: number): unknown {
    const isNamed = [...map.keys()].every(key => typeof key === 'string')
    if (!isNamed) return this.#list([...map], depth)
    return this.#mapping(
      [...map].map(([key, item]) => [String(key), () => item]),
      depth,
    )
  }

  #list(items: readonly unknown[], depth: number): unknown[] {
    const copies: unknown[] = []
    for (let at = 0; at < items.length; at++) {
      const copy = this.copy(
        tried(() => items[at]),
        depth + 1,
      )
      copies.push(copy === undefined ? null : copy)
      if (this.#room <= 0 && at < items.length - 1) {
        copies.push('[Truncated]')
        break
      }
    }
    return copies
  }

  #mapping(entries: [string, () => unknown][], depth: number): Record<string, unknown> {
    const copies: [string, unknown][] = []
    for (const [key, read] of entries) {
      if (this.#room <= 0) {
        copies.push(['…', '[Truncated]'])
        break
      }
      this.#room -= key.length + 4
      const copy = this.copy(tried(read), depth + 1)
      if (copy !== undefined) copies.push([key, copy])
    }
    return Object.fromEntries(copies)
  }
}

function leaf(value: unknown): unknown {
  switch (typeof value) {
    case 'function':
      return `[Function: ${String(tried(() => (value as { name: unknown }).name)) || 'anonymous'}]`
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

function typeTag(value: object): string {
  return Object.prototype.toString.call(value).slice(8, -1)
}

/** The value of something that may throw when it is read; what was thrown, in words, where it does. */
function tried(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    return `[Threw: ${messageOf(error)}]`
  }
}

function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) : String(error)
  } catch {
    return 'something that cannot be shown'
  }
}
