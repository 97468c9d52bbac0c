import { mergedEdges, nodeLabel } from './graph-labels.js'
import type { GraphNode, ReferenceGraph } from './reference-graph.js'

/** A graph in DOT, as Graphviz reads it. */
export function graphAsDot({ nodes, edges }: ReferenceGraph): string {
  const numbers = new Map(nodes.map(({ id }, number) => [id, `n${number}`]))
  return [
    'digraph references {',
    '  rankdir=LR',
    '  node [shape=box]',
    ...nodes.map(node => `  ${numbers.get(node.id)} [${attributes(node)}]`),
    ...mergedEdges(edges).map(
      ([{ from, to }, kinds]) => `  ${numbers.get(from)} -> ${numbers.get(to)} [label=${quoted(kinds)}]`,
    ),
    '}',
    '',
  ].join('\n')
}

function attributes(node: GraphNode): string {
  const { kind, role } = node
  const shapes = { main: 'box3d', middleware: 'hexagon', context: 'box' } as const
  return [
    `label=${quoted(nodeLabel(node))}`,
    ...(kind === 'resource' ? ['shape=note'] : role && role !== 'context' ? [`shape=${shapes[role]}`] : []),
    ...(kind === 'missing' ? ['style=dashed', 'color=red'] : kind === 'unknown' ? ['style=dashed'] : []),
  ].join(', ')
}

/** In DOT's quotes only the quote and the backslash mean anything; a line break is shown as one. */
function quoted(text: string): string {
  const plain = text.replace(/[\p{Cc}\u2028\u2029]/gu, ' ')
  return `"${plain.replace(/[\\"]/g, '\\$&')}"`
}
