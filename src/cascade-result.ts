import type { ReachedTool } from './cascade-chain.js'
import type { ConnectedEntry, Connections } from './cascade-peers.js'
import type { CascadeRecord } from './cascade-record.js'
import type { CascadeEntry, ResolvedCascade } from './cascade-types.js'
import { byCodePoint } from './code-point-order.js'
import { effectiveValue } from './value-history.js'

/** What was computed as it is given out, by id. */
export function resolvedTools(
  tools: readonly ReachedTool[],
  connections: Connections,
): Map<string, ResolvedCascade> {
  const sortedIds = new Map<readonly number[], string[]>()
  return new Map(tools.map((tool, node) => [tool.record.tool.id, resolved(tool, node)]))

  function resolved(tool: ReachedTool, node: number): ResolvedCascade {
    const { record, layer } = tool
    const chain = connections.chains[node] ?? []
    // Lists that can be as long as there are tools are made for who reads them.
    let peers: string[] | undefined
    let sources: string[] | undefined
    return {
      tool: record.tool,
      metadata: new Map([...layer].map(([key, value]) => [key, effectiveValue(value)])),
      chain: chain.map(chainEntry),
      calls: connections.calls[node] ?? 0,
      deps: [...new Set(chain.flatMap(({ configuration }) => configuration.deps))].sort(byCodePoint),
      get peers() {
        peers ??= idsOf(connections.componentOf[node] ?? []).filter(id => id !== record.tool.id)
        return peers
      },
      get sources() {
        sources ??= sourcesOf(tool, tools)
        return sources
      },
    }
  }

  /** The ids of a component; sorted once for all its members. */
  function idsOf(component: readonly number[]): string[] {
    const known = sortedIds.get(component)
    if (known) return known
    const ids = component.flatMap(node => tools[node]?.record.tool.id ?? []).sort(byCodePoint)
    sortedIds.set(component, ids)
    return ids
  }
}

function chainEntry({
  key,
  middleware,
  configuration,
  static: isStatic,
  hook,
}: ConnectedEntry): CascadeEntry {
  const entry = { name: key, tool: middleware.tool.id, args: configuration.args, static: isStatic }
  return hook ? { ...entry, hook } : entry
}

/**
 * Every other tool whose metadata a tool's cascade depends on: the main skills that reach it, its bases and theirs,
 * and its middleware. Who is whose peer hangs on all that a middleware reaches, with the main skills and bases of each.
 */
function sourcesOf(tool: ReachedTool, tools: readonly ReachedTool[]): string[] {
  const records = new Set<CascadeRecord>()
  const reached = new Set([tool])
  for (const { record, mains, entries } of reached) {
    addBases(record, records)
    for (const main of [mains.library, mains.project, mains.authority]) {
      if (main) records.add(main)
    }
    for (const { middleware, node } of entries) {
      records.add(middleware)
      const next = tools[node]
      if (next && tool.record.tool.role === 'middleware') reached.add(next)
    }
  }
  records.delete(tool.record)
  return [...records].map(({ tool: { id } }) => id).sort(byCodePoint)
}

function addBases(record: CascadeRecord, records: Set<CascadeRecord>): void {
  const bases = new Set([record])
  for (const { bases: inner = [] } of bases) {
    for (const base of inner) bases.add(base.record)
  }
  bases.delete(record)
  for (const base of bases) records.add(base)
}
