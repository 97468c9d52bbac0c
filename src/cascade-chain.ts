import { Answers } from './answers.js'
import { effectiveLayer } from './cascade-layers.js'
import {
  type CascadeRecord,
  type CascadeRun,
  type Configuration,
  type Layer,
  type Mains,
  reach,
  recordOf,
} from './cascade-record.js'
import type { CascadeTool, HookTrigger } from './cascade-types.js'
import { CORE_METADATA_KEYS } from './frontmatter.js'
import { interpolationPaths } from './interpolate.js'
import { joinValues } from './join-values.js'
import { isJsonObject, type JsonValue } from './json.js'
import { placesIn } from './json-places.js'

/** A tool whose chain is asked for. */
export interface ReachedTool {
  record: CascadeRecord
  mains: Mains
  layer: Layer
  entries: ReachedEntry[]
}

/** A middleware around it. */
export interface ReachedEntry {
  key: string
  middleware: CascadeRecord
  /** The middleware's place among the tools reached. */
  node: number
  configuration: Configuration
  hook?: HookTrigger[]
}

const CORE_KEYS: ReadonlySet<string> = new Set(CORE_METADATA_KEYS)

/** Computes tools' effective metadata, and finds the middleware that its keys are named after. */
export async function readChains(
  run: CascadeRun,
  tools: readonly CascadeRecord[],
  mainsOf: readonly Mains[],
): Promise<ReachedTool[]> {
  const answers = new Answers()
  const asked = tools.map((record, index) => {
    const mains = mainsOf[index] ?? NO_MAINS
    const layer = effectiveLayer(record, mains)
    return { record, mains, layer, found: askMiddleware(run, record.tool, layer, answers) }
  })
  const { pending } = answers
  if (pending) await pending
  return asked.map(({ record, mains, layer, found }) => ({
    record,
    mains,
    layer,
    entries: found.flatMap(one => entryOf(run, record, layer, one)),
  }))
}

const NO_MAINS: Mains = { library: null, project: null, authority: null }

interface Found {
  key: string
  middleware: CascadeTool | null
}

function askMiddleware({ lookUp }: CascadeRun, tool: CascadeTool, layer: Layer, answers: Answers): Found[] {
  const found: Found[] = []
  for (const key of layer.keys()) {
    if (CORE_KEYS.has(key)) continue
    const one: Found = { key, middleware: null }
    found.push(one)
    answers.take(lookUp.middleware(key, tool), middleware => void Object.assign(one, { middleware }))
  }
  return found
}

function entryOf(
  run: CascadeRun,
  record: CascadeRecord,
  layer: Layer,
  { key, middleware }: Found,
): ReachedEntry[] {
  // A tool does not run around itself.
  if (middleware?.role !== 'middleware' || middleware.id === record.tool.id) return []
  const serving = recordOf(run, middleware)
  const { hook } = serving.annotations
  const configuration = configure(serving, layer.get(key)?.value ?? null)
  return [{ key, middleware: serving, node: reach(run, serving), configuration, ...(hook && { hook }) }]
}

/** What a middleware runs with. Made once for a value, since a promoted one reaches many tools. */
function configure(middleware: CascadeRecord, value: JsonValue): Configuration {
  middleware.configured ??= new Map()
  const known = middleware.configured.get(value)
  if (known) return known
  const defaults = middleware.annotations.self ?? null
  const args = value === true || value === null ? defaults : joinValues(defaults, value, 'deep')
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
