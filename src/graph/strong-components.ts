/**
 * Finds the strongly connected components of a graph whose nodes are numbers from 0, each after its
 * successors. This is Tarjan's algorithm, linear in the edges, with an explicit stack for deep graphs.
 */
export function strongComponents(
  count: number,
  edgesOf: (node: number) => readonly number[],
): readonly number[][] {
  const components: number[][] = []
  /** When a node was found, from 1. */
  const found = new Uint32Array(count)
  /** The earliest node on the path that a node leads back to. */
  const low = new Uint32Array(count)
  const isDone = new Uint8Array(count)
  const members: number[] = []
  const path: { node: number; edges: readonly number[]; at: number }[] = []
  let clock = 0

  const enter = (node: number): void => {
    found[node] = low[node] = ++clock
    members.push(node)
    path.push({ node, edges: edgesOf(node), at: 0 })
  }
  const lower = (node: number, to: number): void => {
    if (to < (low[node] ?? 0)) low[node] = to
  }

  for (let start = 0; start < count; start++) {
    if (found[start] === 0) enter(start)
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const next = top.edges[top.at++]
      if (next !== undefined) {
        if (found[next] === 0) enter(next)
        else if (isDone[next] === 0) lower(top.node, found[next] ?? 0)
        continue
      }
      path.pop()
      const above = path.at(-1)
      if (above) lower(above.node, low[top.node] ?? 0)
      if (low[top.node] === found[top.node]) components.push(takeComponent(members, top.node, isDone))
    }
  }
  return components
}

/** Everything found since a component's first node belongs to the component. */
function takeComponent(members: number[], first: number, isDone: Uint8Array): number[] {
  const component = members.splice(members.lastIndexOf(first))
  for (const node of component) isDone[node] = 1
  return component
}
