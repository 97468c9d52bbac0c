import type { JsonValue } from '../base/json.js'
import { quoted } from '../skill/skill-faults.js'
import { type Annotations, type Inheritance, readAnnotations } from './annotations.js'
import { valueFaults } from './metadata-faults.js'
import { annotationInvalid } from './problems.js'
import type { CascadeLayer, CascadeLookUp, CascadeProblem, CascadeTool } from './types.js'
import type { HeldValue } from './value-history.js'

/** Keys with their values, in order of first appearance. Values are shared and never changed. */
export type LayerValues = Map<string, HeldValue>

/** A tool with what is known of it. */
export interface KnownTool {
  tool: CascadeTool
  annotations: Annotations
  /** Its bases, weakest first; absent until they are looked up. */
  bases?: Base[]
  /** What it hands on; absent until an heir needs it. */
  handedOn?: LayerValues
  /** Keys whose values would get too large by joining. */
  overgrown?: Set<string>
  /** What it promotes, by the layer it is for. */
  promoted?: Map<CascadeLayer, LayerValues>
  /** As a middleware: what configurations make of it. */
  configured?: Map<JsonValue, Configuration>
  /** Its place among the tools whose chain is asked for; absent for one that is only a base or a main skill. */
  node?: number
}

/** A tool that another one inherits from, and the reference that says so. */
export interface Base {
  record: KnownTool
  inheritance: Inheritance
}

/** The main skills whose promotions reach a tool. */
export interface Mains {
  library: KnownTool | null
  project: KnownTool | null
  authority: KnownTool | null
}

/** What a middleware runs with, and the paths that `${…}` in it reads. */
export interface Configuration {
  args: JsonValue
  deps: string[]
}

/** What one resolution knows. */
export interface CascadeRun {
  lookUp: CascadeLookUp
  /** By the tool's id. */
  records: Map<string, KnownTool>
  problems: CascadeProblem[]
  /** The tools whose chain is asked for. */
  reached: KnownTool[]
}

/** A tool's record. Its annotations are read, and its faults reported, the first time. */
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

/** What is wrong with a tool and shows only when its layers are joined. */
export function joiningFaults({ tool, annotations, overgrown = new Set() }: KnownTool): CascadeProblem[] {
  return [...overgrown].map(key => {
    const path = annotations.merge?.has(key) ? ['$merge', key] : [key]
    const message = `joining ${quoted(key)} makes a value that is too large, so the strongest alone counts`
    return annotationInvalid(tool, path, message, 'Use union or replace, or shorten the values.')
  })
}

/** Asks for a tool's chain, once; returns its place among those asked for. */
export function reach({ reached }: CascadeRun, record: KnownTool): number {
  record.node ??= reached.push(record) - 1
  return record.node
}

const NO_ANNOTATIONS: Readonly<Annotations> = Object.freeze({})
