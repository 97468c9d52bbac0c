import type { JsonValue } from '../base/json.js'
import { quoted } from '../skill/skill-faults.js'
import { type Annotations, type Inheritance, readAnnotations } from './annotations.js'
import { valueFaults } from './metadata-faults.js'
import { annotationInvalid } from './problems.js'
import type { CascadeLayer, CascadeLookUp, CascadeProblem, CascadeTool } from './types.js'
import type { HeldValue } from './value-history.js'

/** Keys with their values, in order of first appearance. Values are shared and never changed. */
export type LayerValues = Map<string, HeldValue>

/** A tool with its intermediate results. */
export interface KnownTool {
  tool: CascadeTool
  annotations: Annotations
  /** Its bases, from the weakest to the strongest; absent until they are looked up. */
  bases?: Base[]
  /** The values that it passes on; absent until another tool inherits from it. */
  handedOn?: LayerValues
  /** Keys whose values would become too large by joining. */
  overgrown?: Set<string>
  /** The promoted values, by the layer that they are promoted to. */
  promoted?: Map<CascadeLayer, LayerValues>
  /** Its arguments for each configuration, if it is a middleware. */
  configured?: Map<JsonValue, Configuration>
  /**
   * Its index among the tools whose chain is computed; absent for a tool that is only a base or a main skill.
   */
  node?: number
}

/** A tool that another one inherits from, and the reference to it. */
export interface Base {
  record: KnownTool
  inheritance: Inheritance
}

/** The main skills whose promotions reach a tool. */
export interface Mains {
  library: KnownTool | null
  project: KnownTool | null
  namespace: KnownTool | null
  authority: KnownTool | null
}

/** The arguments of a middleware, and the paths that `${…}` in them reads. */
export interface Configuration {
  args: JsonValue
  deps: string[]
}

/** The state of one resolution. */
export interface CascadeRun {
  lookUp: CascadeLookUp
  /** Keyed by the tool's id. */
  records: Map<string, KnownTool>
  problems: CascadeProblem[]
  /** The tools whose chain is computed. */
  reached: KnownTool[]
}

/** Returns a tool's record. The first time, its annotations are read and its faults reported. */
export function recordOf({ records, problems }: CascadeRun, tool: CascadeTool): KnownTool {
  const known = records.get(tool.id)
  if (known) return known
  const record: KnownTool = { tool, annotations: NO_ANNOTATIONS }
  records.set(tool.id, record)
  // Most tools have no metadata at all.
  if (Object.keys(tool.metadata).length > 0) {
    const read = readAnnotations(tool)
    record.annotations = read.annotations
    for (const problem of read.problems) problems.push(problem)
    for (const problem of valueFaults(tool)) problems.push(problem)
  }
  return record
}

/** Returns the faults of a tool that appear only when its layers are joined. */
export function joiningFaults({ tool, annotations, overgrown = new Set() }: KnownTool): CascadeProblem[] {
  return [...overgrown].map(key => {
    const path = annotations.merge?.has(key) ? ['$merge', key] : [key]
    const message = `joining ${quoted(key)} makes a value that is too large, so the strongest alone counts`
    return annotationInvalid(tool, path, message, 'Use union or replace, or shorten the values.')
  })
}

/** Requests a tool's chain, once; returns its index among the reached tools. */
export function reach({ reached }: CascadeRun, record: KnownTool): number {
  record.node ??= reached.push(record) - 1
  return record.node
}

const NO_ANNOTATIONS: Readonly<Annotations> = Object.freeze({})
