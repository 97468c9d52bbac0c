/** The items of a set, even if its class overrides iteration. Throws for an object that is not a set. */
export function itemsOf(set: ReadonlySet<unknown>): unknown[] {
  const items: unknown[] = []
  Set.prototype.forEach.call(set, item => void items.push(item))
  return items
}

/** The entries of a map, even if its class overrides iteration. Throws for an object that is not a map. */
export function entriesOf(map: ReadonlyMap<unknown, unknown>): [unknown, unknown][] {
  const entries: [unknown, unknown][] = []
  Map.prototype.forEach.call(map, (value, key) => void entries.push([key, value]))
  return entries
}

/** An object's own keys; empty for bytes, each of which would be a key. Throws errors of proxies. */
export function keysIn(value: object): string[] {
  return ArrayBuffer.isView(value) ? [] : Object.keys(value)
}

/** Returns `new String('a')` as the string in it, as JSON does; any other object unchanged. */
export function unboxed(value: object): unknown {
  if (value instanceof String) return String.prototype.valueOf.call(value)
  if (value instanceof Number) return Number.prototype.valueOf.call(value)
  return value instanceof Boolean ? Boolean.prototype.valueOf.call(value) : value
}

/** The shortest array that is checked for holes. */
export const SPARSE_MIN = 1000

/** An array's indexes, even if its class overrides iteration; of a long one with holes, those present. */
export function indexesOf(list: readonly unknown[]): Iterable<number> {
  const { length } = list
  if (length < SPARSE_MIN) return upTo(length)
  const indexes = Object.keys(list).filter(key => /^\d+$/.test(key))
  return indexes.length < length ? indexes.map(Number) : upTo(length)
}

export function* upTo(length: number): Generator<number> {
  for (let index = 0; index < length; index++) yield index
}

/** The keys of an error: name, message and stack, which are not enumerable, and its own fields. */
export function errorKeys(error: Error): string[] {
  const hidden = ['cause', 'errors'].filter(key => Object.hasOwn(error, key))
  return [...new Set(['name', 'message', 'stack', ...hidden, ...Object.keys(error)])]
}

/** Returns the name that a native object has for itself: `Uint8Array`, `Promise`. */
export function typeTag(value: object): string {
  return Object.prototype.toString.call(value).slice(8, -1)
}

/** Describes typed arrays in words. */
export function describeBytes(value: ArrayBuffer | ArrayBufferView): string {
  return `[${typeTag(value)}: ${value.byteLength} bytes]`
}
