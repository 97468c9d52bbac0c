import { visibleText } from '../../src/policy/shown-text.js'
import type { GraphNode, ReferenceGraph } from './reference-graph.js'

/** A graph in DOT, as Graphviz reads it. */
export function graphAsDot(graph: ReferenceGraph): string {
  const { nodes, edges } = numbered(graph)
  return [
    'digraph references {',
    '  rankdir=LR',
    '  node [shape=box]',
    ...nodes.map(([id, node]) => `  ${id} [${dotAttributes(node)}]`),
    ...edges.map(({ from, to, kinds }) => `  ${from} -> ${to} [label=${dotString(kinds)}]`),
    '}',
    '',
  ].join('\n')
}

function dotAttributes(node: GraphNode): string {
  const { kind, role } = node
  const shapes = { main: 'box3d', middleware: 'hexagon', context: 'box' } as const
  return [
    `label=${dotString(labelOf(node))}`,
    ...(kind === 'resource' ? ['shape=note'] : role && role !== 'context' ? [`shape=${shapes[role]}`] : []),
    ...(kind === 'missing' ? ['style=dashed', 'color=red'] : kind === 'unknown' ? ['style=dashed'] : []),
  ].join(', ')
}

/** In DOT's quotes only the quote and the backslash have a meaning. A line break becomes a space. */
function dotString(text: string): string {
  const plain = visibleText(text.replace(/[\t\n]/g, ' '))
  return `"${plain.replace(/[\\"]/g, '\\$&')}"`
}

/** Writes a graph as a Mermaid flowchart. */
export function graphAsMermaid(graph: ReferenceGraph): string {
  const { nodes, edges } = numbered(graph)
  const classes = Object.keys(MERMAID_STYLES).filter(name => nodes.some(([, { kind }]) => kind === name))
  const idsOf = (name: string): string =>
    nodes.flatMap(([id, { kind }]) => (kind === name ? id : [])).join(',')
  return [
    'flowchart LR',
    ...nodes.map(([id, node]) => `  ${id}${mermaidShape(node)}`),
    ...edges.map(({ from, to, kinds }) => `  ${from} -->|"${mermaidText(kinds)}"| ${to}`),
    ...classes.map(name => `  classDef ${name} ${MERMAID_STYLES[name]}`),
    ...classes.map(name => `  class ${idsOf(name)} ${name}`),
    '',
  ].join('\n')
}

const MERMAID_STYLES: Record<string, string> = {
  missing: 'stroke-dasharray:4 4,color:#b00',
  resource: 'fill:none',
  unknown: 'stroke-dasharray:4 4',
}

function mermaidShape(node: GraphNode): string {
  const text = mermaidText(labelOf(node))
  if (node.kind === 'resource') return `(["${text}"])`
  if (node.role === 'main') return `[["${text}"]]`
  return node.role === 'middleware' ? `{{"${text}"}}` : `["${text}"]`
}

/** Writes all characters but letters, digits and a few signs by their numbers, so that no name is read as syntax or as HTML. */
function mermaidText(text: string): string {
  return text.replace(/[^\p{L}\p{N} ,./_()-]/gu, character => `#${character.codePointAt(0)};`)
}

/** The nodes of a graph with short ids, and its edges, one between any two nodes. */
function numbered({ nodes, edges }: ReferenceGraph): {
  nodes: [id: string, node: GraphNode][]
  edges: { from: string; to: string; kinds: string }[]
} {
  const numbers = new Map(nodes.map(({ id }, number) => [id, `n${number}`]))
  const between = new Map<string, Set<string>>()
  for (const { from, to, kind } of edges) {
    const ends = `${numbers.get(from)} ${numbers.get(to)}`
    between.set(ends, (between.get(ends) ?? new Set()).add(kind))
  }
  return {
    nodes: nodes.map((node, number) => [`n${number}`, node]),
    edges: [...between].map(([ends, kinds]) => {
      const [from = '', to = ''] = ends.split(' ')
      return { from, to, kinds: [...kinds].sort().join(', ') }
    }),
  }
}

function labelOf({ id, name, kind }: GraphNode): string {
  const marks: Partial<Record<GraphNode['kind'], string>> = { missing: ' (missing)', unknown: ' (unknown)' }
  return `${kind === 'resource' || kind === 'missing' ? id : name}${marks[kind] ?? ''}`
}
