import type { ComponentChildren, JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { PageEdge, PageGraph } from '../../cli/explore/page-data.js'
import { readBlock } from '../data/blocks.js'
import {
  busiest,
  connected,
  dependents,
  type Graph,
  NODES_MAX,
  neighbourhood,
  withEdges,
} from '../data/graph.js'
import { linkTo, route, setParams } from '../data/route.js'
import { type Rows, readBlocks, shared } from '../data/store.js'
import { GraphCanvas } from '../parts/graph-canvas.js'
import { Loaded, Notice } from '../parts/loading.js'
import { counted, grouped, Heading, Text } from '../parts/text.js'

/** So many names of a list are shown. */
const NAMES_MAX = 60
/** So many suggestions follow what is typed. */
const SUGGESTED = 8

/** The graph of references: first around one skill, all on request. */
export function GraphView({ rows }: { rows: Rows }): JSX.Element {
  const graph = shared('graph with edges', async () =>
    withEdges(await readBlock<PageGraph>(readBlocks(), 'graph')),
  )
  return (
    <Loaded from={graph}>
      {read =>
        read.edges.length === 0 ? (
          <Notice title="No skill refers to another">
            References, inheritance, delegates, directives and middleware would be drawn here.
          </Notice>
        ) : (
          <Drawing graph={read} rows={rows} />
        )
      }
    </Loaded>
  )
}

function Drawing({ graph, rows }: { graph: Graph; rows: Rows }): JSX.Element {
  const { params } = route.value
  const isAll = params.get('show') === 'all'
  const focus = graph.byId.get(params.get('focus') ?? '') ?? busiest(graph)
  const depth = Number(params.get('depth')) || 1
  const drawn = useMemo(
    () => (isAll ? connected(graph) : neighbourhood(graph, focus, depth)),
    [graph, isAll, focus, depth],
  )
  const choose = (node: number): void => setParams({ focus: graph.nodes[node]?.id ?? '' })
  return (
    <div class="graph">
      <section class="drawing" aria-label="Drawing">
        <div class="controls">
          <Finder graph={graph} choose={choose} />
          <div class="switch" role="group" aria-label="Show">
            {[1, 2, 3].map(steps => (
              <button
                key={steps}
                type="button"
                aria-pressed={!isAll && depth === steps}
                onClick={() => setParams({ show: '', depth: String(steps) })}
              >
                {steps === 1 ? 'Neighbours' : `${steps} steps`}
              </button>
            ))}
            <button type="button" aria-pressed={isAll} onClick={() => setParams({ show: 'all' })}>
              All
            </button>
          </div>
          <p class="aside" role="status">
            {`${counted(drawn.nodes.length, 'node')}, ${counted(drawn.edges.length, 'edge')}`}
            {drawn.nodes.length >= NODES_MAX && `; the ${grouped(NODES_MAX)} with most edges`}
          </p>
        </div>
        <GraphCanvas graph={graph} drawn={drawn} focus={focus} choose={choose} />
        <Legend />
      </section>
      <aside class="about" aria-label="The chosen node">
        <About graph={graph} node={focus} rows={rows} />
      </aside>
    </div>
  )
}

/** A field that finds a node by a part of its name. */
function Finder({ graph, choose }: { graph: Graph; choose: (node: number) => void }): JSX.Element {
  const [text, setText] = useState('')
  const words = text.toLowerCase()
  const found =
    words === ''
      ? []
      : graph.nodes
          .flatMap(({ name }, node) => (name.toLowerCase().includes(words) ? [node] : []))
          .slice(0, SUGGESTED)
  const pick = (node: number): void => {
    setText('')
    choose(node)
  }
  return (
    <form
      class="finder"
      onSubmit={event => {
        event.preventDefault()
        if (found[0] !== undefined) pick(found[0])
      }}
    >
      <label>
        <span class="unseen">Find a node</span>
        <input
          type="search"
          placeholder="Find a skill…"
          value={text}
          autocomplete="off"
          spellcheck={false}
          onInput={event => setText(event.currentTarget.value)}
        />
      </label>
      {found.length > 0 && (
        <ul class="suggestions">
          {found.map(node => (
            <li key={node}>
              <button type="button" onClick={() => pick(node)}>
                <Text>{graph.nodes[node]?.name ?? ''}</Text>
              </button>
            </li>
          ))}
        </ul>
      )}
    </form>
  )
}

function Legend(): JSX.Element {
  return (
    <ul class="legend" aria-label="Signs">
      <li>
        <span class="dot tool" /> skill
      </li>
      <li>
        <span class="dot other" /> file
      </li>
      <li>
        <span class="dot missing" /> missing
      </li>
      <li>
        <span class="stroke dashed" /> middleware
      </li>
      <li>
        <span class="stroke cycle" /> cycle
      </li>
    </ul>
  )
}

/** One node: its references, the nodes that refer to it, and those that change with it. */
function About({ graph, node, rows }: { graph: Graph; node: number; rows: Rows }): JSX.Element {
  const all = useMemo(() => dependents(graph, node), [graph, node])
  const { id = '', name = '', kind = '', file = null } = graph.nodes[node] ?? {}
  const [into, out] = [graph.into[node] ?? [], graph.out[node] ?? []]
  const cycle = graph.cycles.find(one => one.includes(node))
  const row = rows.byId.get(id)
  const through = all.filter(one => !into.some(({ from }) => from === one))
  return (
    <>
      <header>
        <h1>
          {row ? (
            <a href={linkTo('skill', row.id)}>
              <Text>{name}</Text>
            </a>
          ) : (
            <Text>{name}</Text>
          )}
        </h1>
        <p class="aside">
          <Text>{[kind, file].filter(Boolean).join(', ')}</Text>
        </p>
        <p class="impact">
          {all.length === 0
            ? 'Nothing depends on it: it can be changed alone.'
            : `A change concerns ${counted(all.length, 'other')}.`}
        </p>
      </header>
      {cycle && (
        <Group title="In a cycle with" count={Math.max(1, cycle.length - 1)}>
          <Nodes
            graph={graph}
            nodes={cycle
              .filter(one => one !== node || cycle.length === 1)
              .map(one => ({ node: one, note: '' }))}
          />
        </Group>
      )}
      <Edges title="Referred to by" graph={graph} edges={into} end="from" />
      {through.length > 0 && (
        <Group title="Through these" count={through.length}>
          <Nodes graph={graph} nodes={through.map(one => ({ node: one, note: '' }))} />
        </Group>
      )}
      <Edges title="Refers to" graph={graph} edges={out} end="to" />
    </>
  )
}

function Edges({
  title,
  graph,
  edges,
  end,
}: {
  title: string
  graph: Graph
  edges: readonly PageEdge[]
  end: 'from' | 'to'
}): JSX.Element | null {
  if (edges.length === 0) return null
  // A text may refer to the same often.
  const times = new Map<string, { node: number; kind: string; count: number }>()
  for (const edge of edges) {
    const key = `${edge[end]} ${edge.kind}`
    const one = times.get(key) ?? { node: edge[end], kind: edge.kind, count: 0 }
    times.set(key, { ...one, count: one.count + 1 })
  }
  const nodes = [...times.values()].map(({ node, kind, count }) => ({
    node,
    note: count > 1 ? `${kind}, ${count} times` : kind,
  }))
  return (
    <Group title={title} count={nodes.length}>
      <Nodes graph={graph} nodes={nodes} />
    </Group>
  )
}

function Group({
  title,
  count,
  children,
}: {
  title: string
  count: number
  children: ComponentChildren
}): JSX.Element {
  return (
    <section class="part">
      <Heading count={count}>{title}</Heading>
      {children}
    </section>
  )
}

function Nodes({
  graph,
  nodes,
}: {
  graph: Graph
  nodes: readonly { node: number; note: string }[]
}): JSX.Element {
  const { params } = route.value
  return (
    <ul class="references">
      {nodes.slice(0, NAMES_MAX).map(({ node, note }, at) => {
        const { id = '', name = '', kind = '' } = graph.nodes[node] ?? {}
        return (
          <li key={`${node} ${note} ${at}`}>
            <a
              class={kind === 'missing' ? 'missing' : ''}
              href={linkTo('graph', '', { ...Object.fromEntries(params), focus: id })}
            >
              <Text>{name}</Text>
            </a>
            <span class="origin">
              {[note, kind === 'missing' ? 'missing' : ''].filter(Boolean).join(', ')}
            </span>
          </li>
        )
      })}
      {nodes.length > NAMES_MAX && <li class="aside">{`and ${grouped(nodes.length - NAMES_MAX)} more`}</li>}
    </ul>
  )
}
