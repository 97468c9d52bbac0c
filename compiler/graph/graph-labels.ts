import type { GraphEdge, GraphNode } from './reference-graph.js'

/** The label of a node. */
export function nodeLabel({ id, name, kind }: GraphNode): string {
  const marks: Partial<Record<GraphNode['kind'], string>> = { missing: ' (missing)', unknown: ' (unknown)' }
  return `${kind === 'resource' || kind === 'missing' ? id : name}${marks[kind] ?? ''}`
}

/** Merges the edges between the same two nodes into one, with the kinds of all of them. */
export function mergedEdges(edges: readonly GraphEdge[]): [GraphEdge, kinds: string][] {
  const between = new Map<string, { edge: GraphEdge; kinds: Set<string> }>()
  for (const edge of edges) {
    const key = JSON.stringify([edge.from, edge.to])
    const known = between.get(key)
    if (known) known.kinds.add(edge.kind)
    else between.set(key, { edge, kinds: new Set([edge.kind]) })
  }
  return [...between.values()].map(({ edge, kinds }) => [edge, [...kinds].sort().join(', ')])
}
