import { type Cycle, shownCycle } from './cycle.js'

/** A graph with its cycles cut. */
interface AcyclicOrder {
  /** Every node, after all nodes that it still leads to. */
  order: number[]
  /** The edges that were cut, in the order of their nodes. */
  closing: ClosingEdge[]
}

/** An edge that leads back to a node on the current path. */
interface ClosingEdge {
  from: number
  /** The index of the edge among the node's edges. */
  edge: number
  cycle: Cycle
}

/**
 * Cuts the edges that close a cycle. An edge leads into its own component or an earlier one. Nodes are tried
 * in order of rank, so that the edges that are cut do not depend on where the search began.
 */
export function acyclicOrder(
  components: readonly (readonly number[])[],
  edgesOf: (node: number) => readonly number[],
  compare: (a: number, b: number) => number,
): AcyclicOrder {
  const result: AcyclicOrder = { order: [], closing: [] }
  const count = components.reduce((sum, { length }) => sum + length, 0)
  /** A node's position on the current path, from 1; -1 once everything that it leads to is in the order. */
  const place = new Int32Array(count)
  for (const component of components) {
    for (const start of component.length > 1 ? component.toSorted(compare) : component) {
      if (place[start] === 0) follow(start, edgesOf, place, result)
    }
  }
  return result
}

function follow(
  start: number,
  edgesOf: (node: number) => readonly number[],
  place: Int32Array,
  { order, closing }: AcyclicOrder,
): void {
  const path: { node: number; edges: readonly number[]; at: number }[] = []
  const enter = (node: number): void => {
    place[node] = path.push({ node, edges: edgesOf(node), at: 0 })
  }
  enter(start)
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const edge = top.at++
    const next = top.edges[edge]
    if (next === undefined) {
      place[top.node] = -1
      order.push(top.node)
      path.pop()
      continue
    }
    const known = place[next] ?? 0
    if (known === 0) enter(next)
    else if (known > 0) {
      const from = top.node
      // The cycle begins where the edge does: path[known - 1] is where it leads.
      const nodeAt = (index: number): number => path[known - 2 + index]?.node ?? from
      const cycle = shownCycle(path.length - known + 1, index => (index === 0 ? from : nodeAt(index)))
      closing.push({ from, edge, cycle })
    }
  }
}
