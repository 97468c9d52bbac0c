/**
 * The input and output of the cascade. A tool's effective metadata is merged from layers, from the weakest to
 * the strongest: the library's promotions, the project's, its namespace's, its authority's, inherited metadata,
 * and its own.
 * Its keys that are names of middleware become its chain.
 */

import type { JsonObject, JsonValue } from '../base/json.js'
import type { Role, ToolFrontmatter } from '../skill/frontmatter.js'
import type { HookTrigger } from '../skill/metadata-keys.js'

/** From the weakest to the strongest. */
const CASCADE_LAYERS = ['library', 'project', 'namespace', 'authority', 'inherited', 'own'] as const
export type CascadeLayer = (typeof CASCADE_LAYERS)[number]

export interface CascadeTool {
  /** Identifies it: two tools of one name are in different path entries. */
  id: string
  name: string
  role?: Role
  /** The owner, which decides which promotions reach it. */
  layer: 'project' | 'global' | 'bundled' | 'programmatic' | 'remote'
  /**
   * Its own metadata as it was written: plain keys and annotations, without the fields that were lifted out
   * of it.
   */
  metadata: JsonObject
  params?: JsonObject
  returns?: JsonObject
  /** Set if the tool exists and cannot be used: the fault, as part of a sentence, and the remedy. */
  fault?: { message: string; hint: string }
}

/** The result of a look-up. Only native promises are awaited. */
type Answer<Value> = Value | Promise<Value>

/** How tools are looked up. An answer that is not a promise is used at once. */
export interface CascadeLookUp {
  /** Resolves an `$inherit` reference. The tool may have a fault. */
  base: (ref: string, from: CascadeTool) => Answer<CascadeTool | null>
  /**
   * Finds the tool of role `middleware` whose name is a key of another one's metadata, or a tool with a fault
   * that may be it. A bare key is first the name of a tool in the namespace of `writer`, who wrote the key.
   */
  middleware: (key: string, from: CascadeTool, writer: CascadeTool) => Answer<CascadeTool | null>
  /**
   * Finds the nearest main skill at or above a tool, inside its path entry, that is not of another namespace;
   * for a tool without a file, the project's. It may have a fault.
   */
  authority: (tool: CascadeTool) => Answer<CascadeTool | null>
  /** Finds the main skill of a tool's namespace: the highest at or above the tool. It may have a fault. */
  namespaceMain: (tool: CascadeTool) => Answer<CascadeTool | null>
  projectMain: () => Answer<CascadeTool | null>
  libraryMain: () => Answer<CascadeTool | null>
  /** Finds the name that a broken reference most likely means. */
  nearName: (ref: string) => Answer<string | null>
}

export interface ValueOrigin {
  layer: CascadeLayer
  /** The id of the tool that wrote it. */
  tool: string
  /** The path in that tool's `metadata`: `['timeout']`, or `['$global', 'timeout']`. */
  path: string[]
  value: JsonValue
}

/** One key of a tool's effective metadata. */
export interface EffectiveValue {
  value: JsonValue
  /** The strongest layer that set it. */
  from: ValueOrigin
  /** The values that it overrides, the strongest first. Computed when it is first read. */
  overrides: ValueOrigin[]
}

/** A middleware around a tool. */
export interface CascadeEntry {
  name: string
  /** The key that names it: its name, or that without its namespace. */
  key: string
  /** The middleware's id. */
  tool: string
  /** Its configuration: the effective value, merged over the middleware's `$self`. */
  args: JsonValue
  /** Called directly, without its own chain. */
  static: boolean
  /** Set if it does not run in its place: it wraps every entry, or the whole invocation. */
  hook?: HookTrigger[]
}

export interface ResolvedCascade {
  tool: CascadeTool
  /** Effective plain keys, in the order of the chain. */
  metadata: Map<string, EffectiveValue>
  /** The chain around the tool, outermost first; the tool itself comes after the last. */
  chain: CascadeEntry[]
  /** How many calls of middleware one call of it expands to. */
  calls: number
  /**
   * The ids of the other tools of its strongly connected component, sorted. Computed when it is first read.
   */
  peers: string[]
  /** The paths that `${…}` in the chain's arguments reads, sorted. */
  deps: string[]
  /**
   * The ids of the other tools whose metadata was used, sorted: main skills, bases and theirs, middleware;
   * for a middleware, everything that it reaches, which decides its peers. Computed when it is first read.
   */
  sources: string[]
  /** True if there are so many that storing them for each tool would take too much space. */
  hasManySources: boolean
}

type CascadeProblemCode =
  | 'annotation-unknown'
  | 'annotation-invalid'
  | 'annotation-nested'
  | 'guard-invalid'
  | 'inherit-broken'
  | 'inherit-missing'
  | 'inherit-cycle'
  | 'dynamic-cycle'
  | 'chain-too-large'
  | 'inline-interpolated'
  | 'main-broken'
  | 'middleware-broken'

/** A fault in a tool's metadata. */
export interface CascadeProblem {
  code: CascadeProblemCode
  /** The id of the tool at fault. */
  tool: string
  path: (string | number)[]
  /** The place to fix, if another tool wrote it: that tool's id, and the path in its `metadata`. */
  at?: { tool: string; path: (string | number)[] }
  /** The fault, one sentence without a full stop. */
  message: string
  hint: string
}

export interface CascadeResolution {
  /** Keyed by id: the requested tools, and all middleware that they reach. */
  tools: Map<string, ResolvedCascade>
  problems: CascadeProblem[]
}

/** Returns the parts of a tool's frontmatter that cascades use. */
export function cascadeFields({
  role,
  metadata,
  params,
  returns,
}: ToolFrontmatter): Pick<CascadeTool, 'role' | 'metadata' | 'params' | 'returns'> {
  return {
    metadata,
    ...(role && { role }),
    ...(params && { params }),
    ...(returns && { returns }),
  }
}
