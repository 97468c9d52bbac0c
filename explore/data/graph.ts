import type { PageEdge, PageGraph, PageNode } from '../../cli/explore/page-data.js'

/** A part of a graph, as it is drawn. */
export interface Drawn {
  /** Numbers of nodes. */
  nodes: number[]
  edges: PageEdge[]
}

/** A graph with the edges of each node. */
export interface Graph extends PageGraph {
  out: readonly (readonly PageEdge[])[]
  into: readonly (readonly PageEdge[])[]
  byId: ReadonlyMap<string, number>
  /** The nodes that are in a cycle. */
  inCycle: ReadonlySet<number>
}

/** So many nodes are drawn at once. */
export const NODES_MAX = 2_000

export function withEdges(graph: PageGraph): Graph {
  const out: PageEdge[][] = graph.nodes.map(() => [])
  const into: PageEdge[][] = graph.nodes.map(() => [])
  for (const edge of graph.edges) {
    out[edge.from]?.push(edge)
    into[edge.to]?.push(edge)
  }
  const byId = new Map(graph.nodes.map(({ id }, number) => [id, number]))
  return { ...graph, out, into, byId, inCycle: new Set(graph.cycles.flat()) }
}

/** The nodes within some edges of one, in either direction, nearest first. */
export function neighbourhood(graph: Graph, start: number, depth: number): Drawn {
  const steps = new Map([[start, 0]])
  // A map's iteration also visits entries added on the way.
  for (const [node, taken] of steps) {
    if (taken >= depth || steps.size >= NODES_MAX) continue
    const next = [
      ...(graph.out[node] ?? []).map(({ to }) => to),
      ...(graph.into[node] ?? []).map(({ from }) => from),
    ]
    for (const one of next) if (!steps.has(one) && steps.size < NODES_MAX) steps.set(one, taken + 1)
  }
  return among(graph, [...steps.keys()])
}

/** All nodes that have an edge; of more than can be drawn, those with most. */
export function connected(graph: Graph): Drawn {
  const degree = (node: number): number => (graph.out[node]?.length ?? 0) + (graph.into[node]?.length ?? 0)
  const nodes = graph.nodes.map((_, number) => number).filter(node => degree(node) > 0)
  const most =
    nodes.length > NODES_MAX ? nodes.sort((a, b) => degree(b) - degree(a)).slice(0, NODES_MAX) : nodes
  return among(graph, most)
}

/** The nodes that change with a node: all that lead to it, directly or through others, nearest first. */
export function dependents({ into }: Graph, node: number): number[] {
  const found = new Set([node])
  for (const one of found) for (const { from } of into[one] ?? []) found.add(from)
  found.delete(node)
  return [...found]
}

/** The node with the most edges; -1 in a graph without edges. */
export function busiest({ out, into }: Graph): number {
  let best = -1
  let most = 0
  for (const [node, edges] of out.entries()) {
    const degree = edges.length + (into[node]?.length ?? 0)
    if (degree > most) [best, most] = [node, degree]
  }
  return best
}

export function isTool({ kind }: PageNode): boolean {
  return kind === 'folder' || kind === 'file' || kind === 'code'
}

function among({ edges }: Graph, nodes: number[]): Drawn {
  const isDrawn = new Set(nodes)
  return { nodes, edges: edges.filter(({ from, to }) => isDrawn.has(from) && isDrawn.has(to)) }
}
