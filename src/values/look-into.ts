/** The items of a set, whatever its class does to iteration. Throws for what only looks like a set. */
export function itemsOf(set: ReadonlySet<unknown>): unknown[] {
  const items: unknown[] = []
  Set.prototype.forEach.call(set, item => void items.push(item))
  return items
}

/** The entries of a map, as `itemsOf` the items of a set. */
export function entriesOf(map: ReadonlyMap<unknown, unknown>): [unknown, unknown][] {
  const entries: [unknown, unknown][] = []
  Map.prototype.forEach.call(map, (value, key) => void entries.push([key, value]))
  return entries
}

/**
 * The keys by which an object is looked into: its own, or none for bytes, which would be a key each. Throws for a
 * proxy that does.
 */
export function keysIn(value: object): string[] {
  return ArrayBuffer.isView(value) ? [] : Object.keys(value)
}

/** `new String('a')` as the text in it, as JSON has it; any other object as it is. */
export function unboxed(value: object): unknown {
  if (value instanceof String) return String.prototype.valueOf.call(value)
  if (value instanceof Number) return Number.prototype.valueOf.call(value)
  return value instanceof Boolean ? Boolean.prototype.valueOf.call(value) : value
}

/** The shortest list that is looked at for holes. */
export const SPARSE_MIN = 1000

/** The indexes of a list, whatever its class does to iteration: all of them, or for a long one with holes an array of those that are there. */
export function indexesOf(list: readonly unknown[]): Iterable<number> {
  const { length } = list
  if (length < SPARSE_MIN) return upTo(length)
  const indexes = Object.keys(list).filter(key => /^\d+$/.test(key))
  return indexes.length < length ? indexes.map(Number) : upTo(length)
}

export function* upTo(length: number): Generator<number> {
  for (let index = 0; index < length; index++) yield index
}

/** What an error says, of which the language hides most: its name, message and stack, and its own fields. */
export function errorKeys(error: Error): string[] {
  const hidden = ['cause', 'errors'].filter(key => Object.hasOwn(error, key))
  return [...new Set(['name', 'message', 'stack', ...hidden, ...Object.keys(error)])]
}

/** `Uint8Array`, `Promise`: what an object of the language calls itself. */
export function typeTag(value: object): string {
  return Object.prototype.toString.call(value).slice(8, -1)
}

/** Typed arrays in words. */
export function describeBytes(value: ArrayBuffer | ArrayBufferView): string {
  return `[${typeTag(value)}: ${value.byteLength} bytes]`
}
