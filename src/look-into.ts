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
