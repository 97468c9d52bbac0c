import { byCodePoint } from '../base/code-point-order.js'
import type { ReachedTool } from './chain.js'
import type { Connections } from './peers.js'
import type { KnownTool } from './record.js'
import type { EffectiveValue, ResolvedCascade } from './types.js'
import { effectiveValue } from './value-history.js'

/** More sources than this are too many for every tool to have its own array of them. */
const SOURCES_MAX = 1000

/** Returns the computed results in their public form, by id. */
export function resolvedTools(
  tools: readonly ReachedTool[],
  { componentOf, calls }: Connections,
): Map<string, ResolvedCascade> {
  const sortedIds = new Map<readonly number[], string[]>()
  return new Map(tools.map((tool, node) => [tool.record.tool.id, resolved(tool, node)]))

  function resolved(reached: ReachedTool, node: number): ResolvedCascade {
    const { tool, bases = [] } = reached.record
    // Of thousands of tools, most have no metadata.
    if (reached.layer.size === 0 && bases.length === 0) return bare(reached)
    const metadata = new Map<string, EffectiveValue>()
    for (const [key, value] of reached.layer) metadata.set(key, effectiveValue(value))
    // Arrays that can be as long as there are tools are created only when they are read.
    let peers: string[] | undefined
    let sources: string[] | undefined
    return {
      tool,
      metadata,
      chain: reached.entries,
      calls: calls[node] ?? 0,
      deps: [...new Set(reached.deps)].sort(byCodePoint),
      get peers() {
        peers ??= idsOf(componentOf[node] ?? []).filter(id => id !== tool.id)
        return peers
      },
      get sources() {
        sources ??= [...sourcesOf(reached, tools)].map(source => source.tool.id).sort(byCodePoint)
        return sources
      },
      get hasManySources() {
        return (sources?.length ?? sourcesOf(reached, tools, SOURCES_MAX).size) > SOURCES_MAX
      },
    }
  }

  /** Returns the ids of a component, sorted once for all its members. */
  function idsOf(component: readonly number[]): string[] {
    const known = sortedIds.get(component)
    if (known) return known
    const ids = component.flatMap(node => tools[node]?.record.tool.id ?? []).sort(byCodePoint)
    sortedIds.set(component, ids)
    return ids
  }
}

/** Returns the result for a tool without metadata. */
function bare({ record: { tool }, mains }: ReachedTool): ResolvedCascade {
  const ids = new Set(MAINS.flatMap(main => mains[main]?.tool.id ?? []))
  const sources = ids.size > 1 ? [...ids].sort(byCodePoint) : [...ids]
  return {
    tool,
    metadata: new Map(),
    chain: [],
    calls: 0,
    deps: [],
    peers: [],
    sources,
    hasManySources: false,
  }
}

const MAINS = ['library', 'project', 'namespace', 'authority'] as const

/**
 * Returns every other tool whose metadata a tool's cascade depends on: the main skills that reach it, its
 * bases and theirs, and its middleware. Peers depend on everything that a middleware reaches, with the main
 * skills and bases of each. The search stops shortly after `most` tools.
 */
function sourcesOf(
  tool: ReachedTool,
  tools: readonly ReachedTool[],
  most = Number.POSITIVE_INFINITY,
): Set<KnownTool> {
  const records = new Set<KnownTool>()
  const reached = new Set([tool])
  for (const { record, mains, nodes } of reached) {
    if (records.size > most) break
    addBases(record, records, most)
    for (const main of MAINS) {
      if (mains[main]) records.add(mains[main])
    }
    for (const node of nodes) {
      const next = tools[node] as ReachedTool
      records.add(next.record)
      if (tool.record.tool.role === 'middleware') reached.add(next)
    }
  }
  records.delete(tool.record)
  return records
}

function addBases(record: KnownTool, records: Set<KnownTool>, most: number): void {
  const bases = new Set([record])
  for (const { bases: inner = [] } of bases) {
    // A tool is not a source of itself.
    if (bases.size > most + 2) break
    for (const base of inner) bases.add(base.record)
  }
  bases.delete(record)
  for (const base of bases) records.add(base)
}
