import type { HookTrigger } from './cascade-types.js'

/** An entry of a chain, as far as its calls are counted. */
export interface CountedEntry {
  /** The middleware. */
  node: number
  static: boolean
  hook?: HookTrigger[]
}

/**
 * How many calls of middleware one call of each tool expands to. A static entry is one call, a dynamic one that and
 * those of its own chain; a `$next` hook is called around every entry that is no hook and around the tool, an
 * `$invoke` hook once.
 *
 * @param order every tool, behind all that it calls dynamically
 * @returns by tool; past the largest safe integer it stays there
 */
export function expandedCalls(
  order: readonly number[],
  chainOf: (node: number) => readonly CountedEntry[],
): Float64Array {
  const calls = new Float64Array(order.length)
  for (const node of order) {
    const chain = chainOf(node)
    const wrapped = wrappedBy(chain)
    const sum = chain.reduce((total, entry) => total + callsOf(entry, wrapped, calls), 0)
    calls[node] = Math.min(sum, Number.MAX_SAFE_INTEGER)
  }
  return calls
}

/** The entry that stands for most of a chain's calls. */
export function heaviest<Entry extends CountedEntry>(
  chain: readonly Entry[],
  calls: Float64Array,
): { entry: Entry; calls: number } | null {
  const wrapped = wrappedBy(chain)
  let most: { entry: Entry; calls: number } | null = null
  for (const entry of chain) {
    const own = Math.min(callsOf(entry, wrapped, calls), Number.MAX_SAFE_INTEGER)
    if (own > (most?.calls ?? 0)) most = { entry, calls: own }
  }
  return most
}

/** What a `$next` hook of a chain wraps: the entries that are no hooks, and the tool. */
function wrappedBy(chain: readonly CountedEntry[]): number {
  return chain.filter(({ hook }) => !hook).length + 1
}

function callsOf(
  { node, static: isStatic, hook }: CountedEntry,
  wrapped: number,
  calls: Float64Array,
): number {
  if (hook) return (hook.includes('$next') ? wrapped : 0) + (hook.includes('$invoke') ? 1 : 0)
  return isStatic ? 1 : 1 + (calls[node] ?? 0)
}
