import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'

/** The items of a page. */
export const PAGE = 100

/**
 * A page of items that are sorted by key, in the order of code units. A cursor is the last key of the previous page, so that
 * any process can continue from it, and changes of the list between two pages skip and repeat nothing.
 *
 * @throws ProtocolError for an invalid cursor
 */
export function pageOf<Item>(
  sorted: readonly Item[],
  keyOf: (item: Item) => string,
  cursor: string | undefined,
): { items: Item[]; nextCursor?: string } {
  const after = cursor === undefined ? null : decode(cursor)
  const start = after === null ? 0 : firstAfter(sorted, keyOf, after)
  const items = sorted.slice(start, start + PAGE)
  const last = items.at(-1)
  return last !== undefined && start + PAGE < sorted.length
    ? { items, nextCursor: encode(keyOf(last)) }
    : { items }
}

/** The order of `pageOf`. */
export function byKey<Item>(keyOf: (item: Item) => string): (a: Item, b: Item) => number {
  return (a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0)
}

function firstAfter<Item>(sorted: readonly Item[], keyOf: (item: Item) => string, after: string): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (keyOf(sorted[middle] as Item) > after) high = middle
    else low = middle + 1
  }
  return low
}

function encode(key: string): string {
  return Buffer.from(JSON.stringify([key])).toString('base64url')
}

function decode(cursor: string): string {
  try {
    const [key, ...more] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown[]
    if (typeof key === 'string' && more.length === 0) return key
  } catch {
    // Reported below.
  }
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid cursor')
}
