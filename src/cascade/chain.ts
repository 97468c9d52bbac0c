import { isJsonObject, type JsonValue } from '../base/json.js'
import { MaybeAsync } from '../base/maybe-async.js'
import { interpolationPaths } from '../content/interpolate.js'
import { CORE_METADATA_KEYS } from '../skill/metadata-keys.js'
import { joinValues } from '../values/join-values.js'
import { placesIn } from '../values/json-places.js'
import { effectiveLayer } from './layers.js'
import { middlewareBroken } from './problems.js'
import {
  type CascadeRun,
  type Configuration,
  type KnownTool,
  type LayerValues,
  type Mains,
  reach,
  recordOf,
} from './record.js'
import type { CascadeEntry, CascadeTool } from './types.js'

/** A tool whose chain is being computed. */
export interface ReachedTool {
  record: KnownTool
  mains: Mains
  layer: LayerValues
  /** Its chain. How its entries run is decided once all tools are known. */
  entries: CascadeEntry[]
  /** For each entry, the index of its middleware among the reached tools. */
  nodes: number[]
  /** The paths that `${…}` in its chain reads. */
  deps: string[]
}

const NO_MAINS: Mains = { library: null, project: null, namespace: null, authority: null }
const CORE_KEYS: ReadonlySet<string> = new Set(CORE_METADATA_KEYS)

/** Computes tools' effective metadata, and finds the middleware that its keys name. */
export async function readChains(
  run: CascadeRun,
  tools: readonly KnownTool[],
  mainsOf: readonly Mains[],
): Promise<ReachedTool[]> {
  const answers = new MaybeAsync()
  const reached = tools.map((record, index): ReachedTool => {
    const mains = mainsOf[index] ?? NO_MAINS
    const layer = effectiveLayer(record, mains)
    return { record, mains, layer, entries: [], nodes: [], deps: [] }
  })
  const found = reached.map(tool => askMiddleware(run, tool, answers))
  const { pending } = answers
  if (pending) await pending
  for (const [index, tool] of reached.entries()) {
    for (const { key, middleware } of found[index] ?? []) addEntry(run, tool, key, middleware)
  }
  return reached
}

interface Found {
  key: string
  middleware: CascadeTool | null
}

function askMiddleware(
  { lookUp, records }: CascadeRun,
  { record: { tool }, layer }: ReachedTool,
  answers: MaybeAsync,
): Found[] {
  const found: Found[] = []
  for (const [key, { from }] of layer) {
    if (CORE_KEYS.has(key)) continue
    const one: Found = { key, middleware: null }
    found.push(one)
    answers.take(lookUp.middleware(key, tool, records.get(from.tool)?.tool ?? tool), middleware => {
      one.middleware = middleware
    })
  }
  return found
}

function addEntry(
  run: CascadeRun,
  { record, layer, entries, nodes, deps }: ReachedTool,
  key: string,
  middleware: CascadeTool | null,
): void {
  // A tool does not run around itself.
  if (!middleware || middleware.id === record.tool.id) return
  if (middleware.fault) {
    const writer = layer.get(key)?.from ?? { tool: record.tool.id, path: [key] }
    run.problems.push(middlewareBroken(record.tool, writer, key, middleware.fault))
    return
  }
  if (middleware.role !== 'middleware') return
  const serving = recordOf(run, middleware)
  const { args, deps: paths } = configure(serving, layer.get(key)?.value ?? null)
  const { hook } = serving.annotations
  const entry: CascadeEntry = { name: middleware.name, key, tool: middleware.id, args, static: false }
  if (hook) entry.hook = [...hook]
  entries.push(entry)
  nodes.push(reach(run, serving))
  for (const path of paths) deps.push(path)
}

/**
 * Returns the arguments of a middleware. They are computed once for a value, since a promoted value reaches
 * many tools.
 */
function configure(middleware: KnownTool, value: JsonValue): Configuration {
  middleware.configured ??= new Map()
  const known = middleware.configured.get(value)
  if (known) return known
  const { self } = middleware.annotations
  // For `true`, and for a promoted null, only the defaults are used.
  const isBare = value === true || value === null
  const args = self === undefined ? value : isBare ? self : joinValues(self, value, 'deep')
  const configuration = { args, deps: pathsRead(args) }
  middleware.configured.set(value, configuration)
  return configuration
}

function pathsRead(args: JsonValue): string[] {
  if (typeof args !== 'string' && !Array.isArray(args) && !isJsonObject(args)) return []
  const paths = new Set<string>()
  for (const { value } of placesIn(args, '')) {
    if (typeof value !== 'string' || !value.includes('${')) continue
    for (const path of interpolationPaths(value)) paths.add(path)
  }
  return [...paths]
}
