/** A path through a graph that ends where it began. */
export interface Cycle {
  /** Each leads to the next, and the last to the first. For a long cycle, only its beginning and its end. */
  nodes: number[]
  length: number
}

/** The most nodes of a cycle that are shown. */
const SHOWN_MAX = 100
const HALF = SHOWN_MAX / 2

/** Returns the shown nodes of a cycle, given the node at each position. */
export function shownCycle(length: number, nodeAt: (index: number) => number): Cycle {
  const nodes: number[] = []
  for (let index = 0; index < length; index++) {
    if (length > SHOWN_MAX && index === HALF) index = length - HALF
    nodes.push(nodeAt(index))
  }
  return { nodes, length }
}

/** Prints `a → b → a`, with ids if two nodes have the same name. */
export function printCycle(
  { nodes, length }: Cycle,
  toolAt: (node: number) => { name: string; id: string },
): string {
  const tools = nodes.map(toolAt)
  const isClear = new Set(tools.map(({ name }) => name)).size === tools.length
  const names = [...tools, ...tools.slice(0, 1)].map(({ name, id }) => (isClear ? name : `${name} (${id})`))
  if (length > nodes.length) names.splice(HALF, 0, `(${length - nodes.length} more)`)
  return names.join(' → ')
}

type Edges = (node: number) => readonly number[]

/** Finds a cycle through any node of a component. All pass through one node, so two searches do. */
export function cyclesThrough(component: readonly number[], edgesOf: Edges): (node: number) => Cycle {
  const [middle = 0] = component
  const leadingTo = new Map<number, number[]>(component.map(node => [node, []]))
  for (const node of component) {
    for (const next of edgesOf(node)) leadingTo.get(next)?.push(node)
  }
  const ahead = shortestWays(middle, node => edgesOf(node).filter(next => leadingTo.has(next)))
  const back = shortestWays(middle, node => leadingTo.get(node) ?? [])
  const last = (leadingTo.get(middle) ?? []).reduce((best, node) =>
    distance(ahead, node) < distance(ahead, best) ? node : best,
  )

  return node => {
    if (node === middle) {
      const nodes = wayFrom(ahead, last).reverse()
      return shownCycle(nodes.length, index => nodes[index] ?? node)
    }
    const length = distance(back, node) + distance(ahead, node)
    if (length > SHOWN_MAX) {
      const nodes = [
        ...wayFrom(back, node, HALF),
        ...wayFrom(ahead, node, HALF + 1)
          .slice(1)
          .reverse(),
      ]
      return { nodes, length }
    }
    // The two paths may meet before the middle.
    const arrival = wayFrom(ahead, node).slice(1)
    const departure = wayFrom(back, node)
    const meeting = departure.findIndex(one => arrival.includes(one))
    const met = departure[meeting] ?? middle
    const nodes = [...departure.slice(0, meeting), ...arrival.slice(0, arrival.indexOf(met) + 1).reverse()]
    return { nodes, length: nodes.length }
  }
}

/** For each node, its distance from the start, and the node before it on a shortest path. */
type Ways = Map<number, { steps: number; before: number | undefined }>

function shortestWays(start: number, edgesOf: Edges): Ways {
  const ways: Ways = new Map([[start, { steps: 0, before: undefined }]])
  // Iterating over a map also visits entries that are added meanwhile.
  for (const [node, { steps }] of ways) {
    for (const next of edgesOf(node)) {
      if (!ways.has(next)) ways.set(next, { steps: steps + 1, before: node })
    }
  }
  return ways
}

function distance(ways: Ways, node: number): number {
  return ways.get(node)?.steps ?? 0
}

/** Returns a node and those before it, up to the start or the limit. */
function wayFrom(ways: Ways, node: number, limit = Number.POSITIVE_INFINITY): number[] {
  const nodes: number[] = []
  for (let at: number | undefined = node; at !== undefined && nodes.length < limit; at = ways.get(at)?.before)
    nodes.push(at)
  return nodes
}
