import type { HookTrigger } from '../skill/metadata-keys.js'

/** A chain, with the data needed to count its calls. */
export interface CountedChain {
  entries: readonly { static: boolean; hook?: HookTrigger[] }[]
  /** The middleware of each entry. */
  nodes: readonly number[]
}

/**
 * Returns how many calls of middleware one call of each tool expands to. A static entry is one call. A
 * dynamic entry is one call plus those of its own chain. A `$next` hook is called around every entry that is
 * not a hook and around the tool, an `$invoke` hook once.
 *
 * @param order every tool, after all tools that it calls dynamically
 * @returns by tool; capped at the largest safe integer
 */
export function expandedCalls(
  order: readonly number[],
  chainOf: (node: number) => CountedChain,
): Float64Array {
  const calls = new Float64Array(order.length)
  for (const node of order) {
    const sum = callsByEntry(chainOf(node), calls).reduce((total, own) => total + own, 0)
    calls[node] = Math.min(sum, Number.MAX_SAFE_INTEGER)
  }
  return calls
}

/** Returns how many calls each entry of a chain expands to. */
export function callsByEntry({ entries, nodes }: CountedChain, calls: Float64Array): number[] {
  // What a `$next` hook wraps: the entries that are not hooks, and the tool.
  const wrapped = entries.reduce((count, { hook }) => (hook ? count : count + 1), 1)
  return entries.map(({ static: isStatic, hook }, index) => {
    if (hook) return (hook.includes('$next') ? wrapped : 0) + (hook.includes('$invoke') ? 1 : 0)
    return isStatic ? 1 : 1 + (calls[nodes[index] ?? 0] ?? 0)
  })
}
