import { mergedEdges, nodeLabel } from './graph-labels.js'
import type { GraphNode, ReferenceGraph } from './reference-graph.js'

/**
 * * A graph as a Mermaid flowchart. Nodes are numbered, and every other character of a label than letters,
 * digits and a few signs is written by its number, so that no name is read as syntax or as HTML.
 */
export function graphAsMermaid({ nodes, edges }: ReferenceGraph): string {
  const numbers = new Map(nodes.map(({ id }, number) => [id, `n${number}`]))
  const classes = ['missing', 'resource', 'unknown'].filter(name => nodes.some(({ kind }) => kind === name))
  return [
    'flowchart LR',
    ...nodes.map(node => `  ${numbers.get(node.id)}${shape(node)}`),
    ...mergedEdges(edges).map(
      ([{ from, to }, kinds]) => `  ${numbers.get(from)} -->|"${label(kinds)}"| ${numbers.get(to)}`,
    ),
    ...classes.map(name => `  classDef ${name} ${STYLES[name]}`),
    ...classes.map(
      name =>
        `  class ${nodes.flatMap(one => (one.kind === name ? (numbers.get(one.id) ?? []) : [])).join(',')} ${name}`,
    ),
    '',
  ].join('\n')
}

const STYLES: Record<string, string> = {
  missing: 'stroke-dasharray:4 4,color:#b00',
  resource: 'fill:none',
  unknown: 'stroke-dasharray:4 4',
}

function shape(node: GraphNode): string {
  const text = label(nodeLabel(node))
  if (node.kind === 'resource') return `(["${text}"])`
  if (node.role === 'main') return `[["${text}"]]`
  return node.role === 'middleware' ? `{{"${text}"}}` : `["${text}"]`
}

function label(text: string): string {
  return text.replace(/[^\p{L}\p{N} ,./_()-]/gu, character => `#${character.codePointAt(0)};`)
}
