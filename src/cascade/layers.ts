import type { JsonValue } from '../base/json.js'
import { namesKey, removeFrom } from '../patterns/key-patterns.js'
import { isMetaKey } from '../skill/metadata-keys.js'
import { isLargerThan, joinValues, type MergeMode } from '../values/join-values.js'
import { type Annotations, NEVER_CASCADING, type Promotion, SCHEMA_KEYS } from './annotations.js'
import type { KnownTool, LayerValues, Mains } from './record.js'
import type { CascadeLayer, CascadeTool } from './types.js'
import type { HeldValue } from './value-history.js'

/**
 * Returns a tool's effective metadata: promotions, inherited metadata and its own, each overriding the one
 * before.
 */
export function effectiveLayer(record: KnownTool, mains: Mains): LayerValues {
  const { inherit } = record.annotations
  const layer: LayerValues = new Map()
  if (inherit !== false) {
    for (const from of PROMOTING) {
      const main = mains[from.layer]
      if (main) joinLayer(layer, promotedLayer(main, from), record)
    }
    joinBases(layer, record)
  }
  // A tool's own schemas are separate fields beside its metadata, and are not merged with other tools' schemas.
  for (const key of SCHEMA_KEYS) {
    if (record.tool[key]) layer.delete(key)
  }
  return joinOwn(layer, record, 'own')
}

/** Computes what a tool passes on to tools that inherit from it. Its bases must have been computed. */
export function handOn(record: KnownTool): void {
  const bases: LayerValues = new Map()
  joinBases(bases, record)
  const layer = joinOwn(bases, record, 'inherited')
  for (const key of SCHEMA_KEYS) {
    const value = record.tool[key]
    if (value) layer.set(key, heldBy(record.tool, 'inherited', [key], value))
  }
  record.handedOn = new Map([...layer].filter(([key, { value }]) => isHandedOn(record, key, value)))
}

function isHandedOn({ annotations }: KnownTool, key: string, value: JsonValue): boolean {
  if (NEVER_CASCADING.has(key)) return false
  if (annotations.private?.some(pattern => namesKey(pattern, key, value))) return false
  // `*` does not mean that the tool's schema is used for another tool's arguments.
  if (SCHEMA_KEYS.some(known => known === key))
    return annotations.public?.some(({ text }) => text === key) === true
  return annotations.public?.some(pattern => namesKey(pattern, key, value)) ?? true
}

interface Promoting {
  layer: keyof Mains & CascadeLayer
  key: 'local' | 'global'
}

/** From the weakest to the strongest. */
const PROMOTING: readonly Promoting[] = [
  { layer: 'library', key: 'global' },
  { layer: 'project', key: 'global' },
  { layer: 'namespace', key: 'global' },
  { layer: 'authority', key: 'local' },
]

/** Returns the promotions of a main skill; computed once, since they reach many tools. */
function promotedLayer(main: KnownTool, { layer, key }: Promoting): ReadonlyMap<string, HeldValue> {
  const promotions = main.annotations[key]
  if (!promotions) return NOTHING
  main.promoted ??= new Map()
  const known = main.promoted.get(layer)
  if (known) return known
  const promoted: LayerValues = new Map(promotions.map(promotion => held(main.tool, layer, promotion)))
  main.promoted.set(layer, promoted)
  return promoted
}

const NOTHING: ReadonlyMap<string, HeldValue> = new Map()

function held(tool: CascadeTool, layer: CascadeLayer, promotion: Promotion): [string, HeldValue] {
  return [promotion.key, heldBy(tool, layer, promotion.path, promotion.value)]
}

function heldBy(tool: CascadeTool, layer: CascadeLayer, path: string[], value: JsonValue): HeldValue {
  return { value, from: { layer, tool: tool.id, path, value } }
}

function joinBases(layer: LayerValues, heir: KnownTool): void {
  for (const { record } of heir.bases ?? []) joinLayer(layer, record.handedOn ?? NOTHING, heir)
}

/** Merges a tool's own keys over the inherited ones, applies its removals, and sorts the keys. */
function joinOwn(got: LayerValues, record: KnownTool, as: CascadeLayer): LayerValues {
  const { tool, annotations } = record
  const layer = removePatterns(got, annotations)
  for (const [key, value] of Object.entries(tool.metadata)) {
    // Values that a program registers may be larger than any file.
    if (isMetaKey(key) || value === undefined) continue
    if (value === null) layer.delete(key)
    else joinKey(layer, key, heldBy(tool, as, [key], value), record)
  }
  return annotations.order ? sorted(layer, annotations.order) : layer
}

function removePatterns(layer: LayerValues, { remove = [] }: Annotations): LayerValues {
  for (const pattern of remove) {
    for (const [key, held] of layer) {
      const left = removeFrom(pattern, key, held.value)
      if (left === undefined) layer.delete(key)
      else if (left !== held.value) {
        const { from, joined } = held
        layer.set(key, { value: left, from, ...(joined && { joined }) })
      }
    }
  }
  return layer
}

function joinLayer(below: LayerValues, layer: ReadonlyMap<string, HeldValue>, into: KnownTool): void {
  for (const [key, value] of layer) joinKey(below, key, value, into)
}

/**
 * The longest array that joining may produce: two bases of one base double its arrays, and so may the bases
 * after them.
 */
const LIST_MAX = 10_000
/** The most characters of text, and values, that joining may produce. */
const SIZE_MAX = 512 * 1024

function joinKey(layer: LayerValues, key: string, strong: HeldValue, into: KnownTool): void {
  const weak = layer.get(key)
  if (!weak) {
    layer.set(key, strong)
    return
  }
  const mode = into.annotations.merge?.get(key) ?? defaultMode(key)
  let value = joinValues(weak.value, strong.value, mode)
  if (value !== strong.value && isOvergrown(value)) {
    into.overgrown = (into.overgrown ?? new Set()).add(key)
    value = strong.value
  }
  layer.set(key, { value, from: strong.from, joined: { strong, weak } })
}

function isOvergrown(value: JsonValue): boolean {
  return (Array.isArray(value) && value.length > LIST_MAX) || isLargerThan(SIZE_MAX, value)
}

/** Merged schemas would mean something that neither author intended. */
function defaultMode(key: string): MergeMode {
  return SCHEMA_KEYS.some(known => known === key) ? 'replace' : 'deep'
}

/** Sorts the keys of `$order` outermost first. The others are where its `*` is, or last. */
function sorted(layer: LayerValues, order: readonly string[]): LayerValues {
  const named = new Set(order)
  const rest = [...layer.keys()].filter(key => !named.has(key))
  const keys = named.has('*') ? order.flatMap(key => (key === '*' ? rest : [key])) : [...order, ...rest]
  const result: LayerValues = new Map()
  for (const key of keys) {
    const value = layer.get(key)
    // For a key that is named twice, the first position counts.
    if (value && !result.has(key)) result.set(key, value)
  }
  return result
}
