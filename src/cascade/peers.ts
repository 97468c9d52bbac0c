import { byCodePoint } from '../base/code-point-order.js'
import { acyclicOrder } from '../graph/acyclic-order.js'
import { type Cycle, printCycle } from '../graph/cycle.js'
import { strongComponents } from '../graph/strong-components.js'
import { CALLS_MAX } from '../index/index-format.js'
import type { HookTrigger } from '../skill/metadata-keys.js'
import type { ReachedTool } from './chain.js'
import { chainTooLarge, dynamicCycle } from './problems.js'
import type { CascadeEntry, CascadeProblem, CascadeTool } from './types.js'

/** How the tools are connected, taken together. */
export interface Connections {
  /** For each tool, its component in the graph from tools to their middleware. */
  componentOf: (readonly number[])[]
  /** How many calls of middleware one call of each tool expands to. */
  calls: Float64Array
  problems: CascadeProblem[]
}

/**
 * Decides which entries are static, so that running a chain ends: hooks, the keys in `$static`, and the
 * middleware of a tool's own component, unless `$dynamic` names it and that closes no cycle.
 */
export function connect(tools: readonly ReachedTool[]): Connections {
  const components = strongComponents(tools.length, node => tools[node]?.nodes ?? [])
  const componentOf: (readonly number[])[] = new Array(tools.length)
  for (const component of components) {
    for (const node of component) componentOf[node] = component
  }
  for (const [node, { record, entries, nodes }] of tools.entries()) {
    const { static: staticKeys, dynamic } = record.annotations
    for (const [index, entry] of entries.entries()) {
      const isPeer = componentOf[nodes[index] ?? 0] === componentOf[node]
      const isKept = isPeer && !dynamic?.has(entry.key)
      entry.static = entry.hook !== undefined || isKept || staticKeys?.has(entry.key) === true
    }
  }
  const { order, problems } = endDynamicCalls(tools, components)
  const calls = expandedCalls(order, node => tools[node] ?? NO_CHAIN)
  for (const [node, tool] of tools.entries()) {
    const sum = calls[node] ?? 0
    if (sum > CALLS_MAX) problems.push(tooLarge(tool, sum, callsByEntry(tool, calls)))
  }
  return { componentOf, calls, problems }
}

const NO_CHAIN: Pick<ReachedTool, 'entries' | 'nodes'> = { entries: [], nodes: [] }

/**
 * Makes entries static that would close a cycle of dynamic calls. Orders tools after all tools that they call
 * dynamically.
 */
function endDynamicCalls(
  tools: readonly ReachedTool[],
  components: readonly (readonly number[])[],
): { order: number[]; problems: CascadeProblem[] } {
  const toolAt = (node: number): CascadeTool => (tools[node] as ReachedTool).record.tool
  const { order, closing } = acyclicOrder(
    components,
    node => dynamicNodes(tools[node] ?? NO_CHAIN),
    (a, b) => byCodePoint(toolAt(a).id, toolAt(b).id),
  )
  // An edge counts as dynamic, so these are listed before the first becomes static.
  const dynamic = new Map(closing.map(({ from }) => [from, dynamicEntries(tools[from] ?? NO_CHAIN)]))
  const problems = closing.flatMap(({ from, edge, cycle }) => {
    const entry = dynamic.get(from)?.[edge]
    if (!entry) return []
    entry.static = true
    return [cycleProblem(tools[from] as ReachedTool, entry.key, cycle, toolAt)]
  })
  return { order, problems }
}

function dynamicNodes({ entries, nodes }: Pick<ReachedTool, 'entries' | 'nodes'>): number[] {
  return nodes.filter((_, index) => entries[index]?.static === false)
}

function dynamicEntries({ entries }: Pick<ReachedTool, 'entries'>): CascadeEntry[] {
  return entries.filter(entry => !entry.static)
}

function cycleProblem(
  { record: { tool, annotations } }: ReachedTool,
  key: string,
  cycle: Cycle,
  toolAt: (node: number) => CascadeTool,
): CascadeProblem {
  const path = annotations.dynamic?.get(key) ?? ['$dynamic']
  return dynamicCycle(tool, path, key, printCycle(cycle, toolAt))
}

function tooLarge(
  { record: { tool }, layer, entries }: ReachedTool,
  sum: number,
  calls: readonly number[],
): CascadeProblem {
  const most = calls.reduce((best, own, index) => (own > (calls[best] ?? 0) ? index : best), 0)
  const { name = '', key = '' } = entries[most] ?? {}
  const origin = layer.get(key)?.from
  const path = origin?.layer === 'own' ? origin.path : []
  return chainTooLarge(tool, path, sum, { name, calls: calls[most] ?? 0 })
}

/** A chain, with the data needed to count its calls. */
interface CountedChain {
  entries: readonly { static: boolean; hook?: HookTrigger[] }[]
  /** The middleware of each entry. */
  nodes: readonly number[]
}

/**
 * Returns how many calls of middleware one call of each tool expands to. A static entry is one call. A
 * dynamic entry is one call plus the calls of its own chain. A `$next` hook is called around every entry that is
 * not a hook and around the tool, an `$invoke` hook once.
 *
 * @param order every tool, after all tools that it calls dynamically
 * @returns by tool; capped at the largest safe integer
 */
function expandedCalls(order: readonly number[], chainOf: (node: number) => CountedChain): Float64Array {
  const calls = new Float64Array(order.length)
  for (const node of order) {
    const sum = callsByEntry(chainOf(node), calls).reduce((total, own) => total + own, 0)
    calls[node] = Math.min(sum, Number.MAX_SAFE_INTEGER)
  }
  return calls
}

/** Returns how many calls each entry of a chain expands to. */
function callsByEntry({ entries, nodes }: CountedChain, calls: Float64Array): number[] {
  // A `$next` hook wraps the entries that are not hooks, and the tool.
  const wrapped = entries.reduce((count, { hook }) => (hook ? count : count + 1), 1)
  return entries.map(({ static: isStatic, hook }, index) => {
    if (hook) return (hook.includes('$next') ? wrapped : 0) + (hook.includes('$invoke') ? 1 : 0)
    return isStatic ? 1 : 1 + (calls[nodes[index] ?? 0] ?? 0)
  })
}
