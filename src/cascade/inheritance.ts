import { byCodePoint } from '../base/code-point-order.js'
import { MaybeAsync } from '../base/maybe-async.js'
import { acyclicOrder } from '../graph/acyclic-order.js'
import { cyclesThrough, printCycle } from '../graph/cycle.js'
import { strongComponents } from '../graph/strong-components.js'
import { handOn } from './layers.js'
import { inheritBroken, inheritCycle, inheritMissing } from './problems.js'
import { type Base, type CascadeRun, type KnownTool, recordOf } from './record.js'
import type { CascadeTool } from './types.js'

/**
 * Finds all tools that the given ones inherit from, directly or indirectly, and computes what each of these
 * passes on.
 */
export async function readInheritance(run: CascadeRun, tools: readonly KnownTool[]): Promise<void> {
  const fresh = new Set(cutCycles(run, await readBases(run, tools)))
  const bases = new Set([...fresh].flatMap(({ bases = [] }) => bases.map(({ record }) => record)))
  // A tool that was read earlier may become a base only now. What its own bases pass on is known since
  // then.
  for (const base of bases) {
    if (!fresh.has(base) && !base.handedOn) handOn(base)
  }
  for (const record of fresh) {
    if (bases.has(record)) handOn(record)
  }
}

/** Looks up the bases of tools, and the bases of those; returns the records that were not read before. */
async function readBases(run: CascadeRun, tools: readonly KnownTool[]): Promise<KnownTool[]> {
  const fresh: KnownTool[] = []
  let wave = tools.filter(record => !record.bases)
  while (wave.length > 0) {
    const answers = new MaybeAsync()
    const found = wave.map(record => askBases(run, record, answers))
    const { pending } = answers
    if (pending) await pending
    const near = await nearNames(run, found)
    const next = new Set<KnownTool>()
    for (const [index, record] of wave.entries()) {
      record.bases = basesFound(run, record, found[index] ?? new Map(), near)
      fresh.push(record)
      for (const base of record.bases) next.add(base.record)
    }
    wave = [...next].filter(record => !record.bases)
  }
  return fresh
}

/** Looks up each reference once, and puts the results into the map. */
function askBases(
  { lookUp }: CascadeRun,
  { tool, annotations }: KnownTool,
  answers: MaybeAsync,
): Map<string, CascadeTool | null> {
  const found = new Map<string, CascadeTool | null>()
  for (const { ref } of annotations.inherit || []) {
    if (found.has(ref)) continue
    found.set(ref, null)
    answers.take(lookUp.base(ref, tool), base => void found.set(ref, base))
  }
  return found
}

/** Finds the most likely target of each broken reference. */
async function nearNames(
  { lookUp }: CascadeRun,
  found: readonly ReadonlyMap<string, CascadeTool | null>[],
): Promise<ReadonlyMap<string, string | null>> {
  const near = new Map<string, string | null>()
  for (const bases of found) {
    for (const [ref, base] of bases) {
      if (base === null && !near.has(ref)) near.set(ref, await lookUp.nearName(ref))
    }
  }
  return near
}

function basesFound(
  run: CascadeRun,
  { tool, annotations }: KnownTool,
  found: ReadonlyMap<string, CascadeTool | null>,
  near: ReadonlyMap<string, string | null>,
): Base[] {
  return (annotations.inherit || []).flatMap(inheritance => {
    const { ref, path } = inheritance
    const base = found.get(ref)
    if (base && !base.fault) return [{ record: recordOf(run, base), inheritance }]
    run.problems.push(
      base?.fault
        ? inheritBroken(tool, path, ref, base.fault)
        : inheritMissing(tool, path, ref, near.get(ref) ?? null),
    )
    return []
  })
}

/** Reports cycles and cuts them; returns the records in an order in which each comes after its bases. */
function cutCycles(run: CascadeRun, records: readonly KnownTool[]): KnownTool[] {
  if (records.every(({ bases = [] }) => bases.length === 0)) return [...records]
  const nodes = new Map(records.map((record, node) => [record, node]))
  const recordAt = (node: number): KnownTool => records[node] as KnownTool
  // Records that were read earlier lead only to others that were read earlier.
  const inner = records.map(({ bases = [] }) => bases.filter(({ record }) => nodes.has(record)))
  const edges = inner.map(bases => bases.map(({ record }) => nodes.get(record) ?? 0))
  const edgesOf = (node: number): readonly number[] => edges[node] ?? []

  const components = strongComponents(records.length, edgesOf)
  for (const component of components) reportCycles(run, component, edgesOf, recordAt)
  const { order, closing } = acyclicOrder(components, edgesOf, (a, b) =>
    byCodePoint(recordAt(a).tool.id, recordAt(b).tool.id),
  )
  for (const { from, edge } of closing) {
    const record = recordAt(from)
    const cut = inner[from]?.[edge]
    record.bases = (record.bases ?? []).filter(base => base !== cut)
  }
  return order.map(recordAt)
}

function reportCycles(
  run: CascadeRun,
  component: readonly number[],
  edgesOf: (node: number) => readonly number[],
  recordAt: (node: number) => KnownTool,
): void {
  const [first = 0] = component
  if (component.length === 1 && !edgesOf(first).includes(first)) return
  const cycleThrough = cyclesThrough(component, edgesOf)
  for (const node of component) {
    const { tool, bases = [] } = recordAt(node)
    const cycle = cycleThrough(node)
    const next = recordAt(cycle.nodes[1] ?? node)
    const path = bases.find(({ record }) => record === next)?.inheritance.path ?? ['$inherit']
    run.problems.push(
      inheritCycle(
        tool,
        path,
        printCycle(cycle, one => recordAt(one).tool),
      ),
    )
  }
}
