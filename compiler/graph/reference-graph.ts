import { addToGroup } from '../../src/base/add-to-group.js'
import { strongComponents } from '../../src/graph/strong-components.js'
import type { Role, ToolKind } from '../../src/skill/frontmatter.js'
import type { ReferenceKind } from '../../src/skill/reference.js'

/** A tool, or something else that tools refer to. */
export interface GraphNode {
  /**
   * Unique in the graph: a tool's name; `file#name` for a tool that another of its name shadows; a file's
   * path.
   */
  id: string
  name: string
  /**
   * `folder`, `file` and `code` are tools. `resource`: any other file. `missing`: nothing has this name or
   * path. `unknown`: only a program knows, or it lies outside the project.
   */
  kind: ToolKind | 'resource' | 'missing' | 'unknown'
  role: Role | null
  /** Relative to `cwd`; null if missing or unknown. */
  file: string | null
  /** Null for a node that is not a tool. */
  layer: string | null
}

/** One tool's reference to a node. */
export interface GraphEdge {
  /** Ids of nodes. */
  from: string
  to: string
  kind: ReferenceKind
  /** The file that contains the reference. */
  file: string
  line: number
  column: number
}

/** The references of a project's tools: nodes in code-point order of their ids, edges in order of node and place. */
export interface ReferenceGraph {
  nodes: GraphNode[]
  edges: GraphEdge[]
  /** Ids of the nodes that all lead to each other, in order; one alone where it refers to itself. */
  cycles: string[][]
}

/** The part of a graph to follow from some of its nodes. */
export interface GraphSelection {
  /** Follow edges to where they come from. */
  reverse?: boolean
  /** How many edges to follow at most. */
  depth?: number
}

/** The part of a graph that is reachable from some of its nodes, with its edges. */
export function reachableGraph(
  { nodes, edges }: Omit<ReferenceGraph, 'cycles'>,
  starts: readonly string[],
  { reverse = false, depth = Number.POSITIVE_INFINITY }: GraphSelection = {},
): ReferenceGraph {
  const next = new Map<string, string[]>()
  for (const { from, to } of edges) {
    const [here, there] = reverse ? [to, from] : [from, to]
    addToGroup(next, here, there)
  }
  const steps = new Map(starts.map(id => [id, 0]))
  // A map's iteration also visits entries added on the way.
  for (const [id, taken] of steps) {
    if (taken >= depth) continue
    for (const one of next.get(id) ?? []) if (!steps.has(one)) steps.set(one, taken + 1)
  }
  return withCycles({
    nodes: nodes.filter(({ id }) => steps.has(id)),
    edges: edges.filter(({ from, to }) => steps.has(from) && steps.has(to)),
  })
}

export function withCycles({ nodes, edges }: Omit<ReferenceGraph, 'cycles'>): ReferenceGraph {
  const numbers = new Map(nodes.map(({ id }, number) => [id, number]))
  const next: number[][] = nodes.map(() => [])
  for (const { from, to } of edges) {
    const target = numbers.get(to)
    if (target !== undefined) next[numbers.get(from) ?? -1]?.push(target)
  }
  const cycles = strongComponents(nodes.length, node => next[node] ?? [])
    .filter(([first = 0, second]) => second !== undefined || next[first]?.includes(first))
    .map(component => component.toSorted((a, b) => a - b))
    .sort(([a = 0], [b = 0]) => a - b)
  return { nodes, edges, cycles: cycles.map(cycle => cycle.map(node => nodes[node]?.id ?? '')) }
}
