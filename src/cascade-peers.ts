import { acyclicOrder } from './acyclic-order.js'
import type { ReachedEntry, ReachedTool } from './cascade-chain.js'
import { chainTooLarge, dynamicCycle } from './cascade-problems.js'
import type { CascadeProblem } from './cascade-types.js'
import { byCodePoint } from './code-point-order.js'
import { printCycle } from './cycle.js'
import { expandedCalls, heaviest } from './expanded-calls.js'
import { strongComponents } from './strong-components.js'

/** An entry of which is known how it runs. */
export interface ConnectedEntry extends ReachedEntry {
  static: boolean
}

/** How tools run, seen together. Nodes are the tools' places. */
export interface Connections {
  /** The chain of each tool. */
  chains: ConnectedEntry[][]
  /** The component that each tool lies in, in the graph from tools to their middleware. */
  componentOf: (readonly number[])[]
  /** How many calls of middleware one call of each tool expands to. */
  calls: Float64Array
  problems: CascadeProblem[]
}

/** The most calls of middleware that one call of a tool may expand to. */
const CALLS_MAX = 1000

/**
 * Decides which entries are called directly, so that running a chain ends: hooks, what `$static` names, and the
 * middleware of a tool's own component, unless `$dynamic` names it and that closes no cycle.
 */
export function connect(tools: readonly ReachedTool[]): Connections {
  const components = strongComponents(
    tools.length,
    node => tools[node]?.entries.map(entry => entry.node) ?? [],
  )
  const componentOf: (readonly number[])[] = new Array(tools.length)
  for (const component of components) {
    for (const node of component) componentOf[node] = component
  }
  const chains = tools.map(({ record: { annotations }, entries }, node) =>
    entries.map(entry => {
      const isForced = annotations.dynamic?.has(entry.key) === true
      const isPeer = componentOf[entry.node] === componentOf[node]
      const isStatic = entry.hook !== undefined || annotations.static?.has(entry.key) || (isPeer && !isForced)
      return { ...entry, static: isStatic === true }
    }),
  )
  const problems: CascadeProblem[] = []
  const order = endDynamicCalls(tools, chains, components, problems)
  const calls = expandedCalls(order, node => chains[node] ?? [])
  for (const [node, tool] of tools.entries()) {
    const sum = calls[node] ?? 0
    if (sum > CALLS_MAX) problems.push(tooLarge(tool, chains[node] ?? [], calls, sum))
  }
  return { chains, componentOf, calls, problems }
}

/** Makes entries static that would close a cycle of dynamic calls; returns the tools behind all they call so. */
function endDynamicCalls(
  tools: readonly ReachedTool[],
  chains: readonly ConnectedEntry[][],
  components: readonly (readonly number[])[],
  problems: CascadeProblem[],
): number[] {
  const dynamic = chains.map(chain => chain.filter(entry => !entry.static))
  const edges = dynamic.map(entries => entries.map(({ node }) => node))
  const toolAt = (node: number): ReachedTool['record']['tool'] => (tools[node] as ReachedTool).record.tool
  const { order, closing } = acyclicOrder(
    components,
    node => edges[node] ?? [],
    (a, b) => byCodePoint(toolAt(a).id, toolAt(b).id),
  )
  for (const { from, edge, cycle } of closing) {
    const entry = dynamic[from]?.[edge]
    if (!entry) continue
    entry.static = true
    const path = tools[from]?.record.annotations.dynamic?.get(entry.key) ?? ['$dynamic']
    const printed = printCycle(cycle, node => toolAt(node).name)
    problems.push(dynamicCycle(toolAt(from), path, entry.key, printed))
  }
  return order
}

function tooLarge(
  { record: { tool }, layer }: ReachedTool,
  chain: readonly ConnectedEntry[],
  calls: Float64Array,
  sum: number,
): CascadeProblem {
  const most = heaviest(chain, calls)
  const key = most?.entry.key ?? ''
  const history = layer.get(key)?.history
  const origin = history && ('stronger' in history ? history.from : history)
  const path = origin?.layer === 'own' ? origin.path : []
  return chainTooLarge(tool, path, sum, { name: key, calls: most?.calls ?? 0 })
}
