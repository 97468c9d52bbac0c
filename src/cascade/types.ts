/**
 * What the cascade works on and gives. A tool's effective metadata is merged from layers, weakest first: the
 * library's promotions, the project's, its authority's, what it inherits, its own. Those of its keys that
 * middleware is named after become its chain.
 */

import type { JsonObject, JsonValue } from '../base/json.js'
import type { Role, ToolFrontmatter } from '../skill/frontmatter.js'
import type { HookTrigger } from '../skill/hooks.js'

/** Weakest first. */
const CASCADE_LAYERS = ['library', 'project', 'authority', 'inherited', 'own'] as const
export type CascadeLayer = (typeof CASCADE_LAYERS)[number]

/** A tool as the cascade sees it. */
export interface CascadeTool {
  /** Tells it from every other tool: two of one name lie in different path entries. */
  id: string
  name: string
  role?: Role
  /** Whose it is: decides which promotions reach it. */
  layer: 'project' | 'global' | 'bundled' | 'programmatic' | 'remote'
  /** Its own metadata as it was written: plain keys and annotations, without the fields lifted out of it. */
  metadata: JsonObject
  params?: JsonObject
  returns?: JsonObject
  /** Set where it is found and cannot be used: what is wrong, as part of a sentence, and what to do. */
  fault?: { message: string; hint: string }
}

/** What a look-up gives. Only a promise of the language's own is waited for. */
type Answer<Value> = Value | Promise<Value>

/** How tools find each other. An answer that is no promise is taken at once. */
export interface CascadeLookUp {
  /** The tool that an `$inherit` reference of another one leads to. It may have a fault. */
  base: (ref: string, from: CascadeTool) => Answer<CascadeTool | null>
  /** The tool of role `middleware` that a key of another one's metadata is named after, or one with a fault that may be it. */
  middleware: (key: string, from: CascadeTool) => Answer<CascadeTool | null>
  /** The nearest main skill at or above a tool, inside its path entry; for one without a file the project's. It may have a fault. */
  authority: (tool: CascadeTool) => Answer<CascadeTool | null>
  projectMain: () => Answer<CascadeTool | null>
  libraryMain: () => Answer<CascadeTool | null>
  /** The name of a tool that a reference which leads nowhere most likely meant. */
  nearName: (ref: string) => Answer<string | null>
}

/** Where a value came from. */
export interface ValueOrigin {
  layer: CascadeLayer
  /** The id of the tool that wrote it. */
  tool: string
  /** Its place in that tool's `metadata`: `['timeout']`, or `['$global', 'timeout']`. */
  path: string[]
  value: JsonValue
}

/** One key of a tool's effective metadata. */
export interface EffectiveValue {
  value: JsonValue
  /** The strongest layer that gave it. */
  from: ValueOrigin
  /** What weaker layers gave, strongest first. Listed when it is first read. */
  overrides: ValueOrigin[]
}

/** A middleware around a tool. */
export interface CascadeEntry {
  /** The key, which is the middleware's name. */
  name: string
  /** The middleware's id. */
  tool: string
  /** Its configuration: the middleware's `$self` under the effective value. */
  args: JsonValue
  /** Called directly, with no chain of its own. */
  static: boolean
  /** Set where it does not run in its place: it wraps every entry, or the whole invocation. */
  hook?: HookTrigger[]
}

/** What the cascade makes of a tool. */
export interface ResolvedCascade {
  tool: CascadeTool
  /** Effective plain keys, in the order of the chain. */
  metadata: Map<string, EffectiveValue>
  /** What runs around the tool, outermost first; the tool itself stands after the last. */
  chain: CascadeEntry[]
  /** How many calls of middleware one call of it expands to. */
  calls: number
  /** The ids of the other tools of its strongly connected component, sorted. Listed when it is first read. */
  peers: string[]
  /** The paths that `${…}` in the chain's arguments reads, sorted. */
  deps: string[]
  /**
   * The ids of the other tools whose metadata took part, sorted: main skills, bases and theirs, middleware; for a
   * middleware all that it reaches, which decides who its peers are. Listed when it is first read.
   */
  sources: string[]
  /** True where they are so many that each tool's list of them would take more room than there is. */
  hasManySources: boolean
}

export type CascadeProblemCode =
  | 'annotation-unknown'
  | 'annotation-invalid'
  | 'annotation-nested'
  | 'inherit-broken'
  | 'inherit-missing'
  | 'inherit-cycle'
  | 'dynamic-cycle'
  | 'chain-too-large'
  | 'inline-interpolated'
  | 'main-broken'
  | 'middleware-broken'
  | 'not-yet'

/** A fault in a tool's metadata. */
export interface CascadeProblem {
  code: CascadeProblemCode
  /** The id of the tool at fault. */
  tool: string
  /** The place in its `metadata`. */
  path: (string | number)[]
  /** Where it is to be mended, if another tool wrote that: its id, and the place in its `metadata`. */
  at?: { tool: string; path: (string | number)[] }
  /** What is wrong, one sentence without a full stop. */
  message: string
  /** What to do. */
  hint: string
}

export interface CascadeResolution {
  /** By id: the tools asked for, and all middleware that they reach. */
  tools: Map<string, ResolvedCascade>
  problems: CascadeProblem[]
}

/** What of a tool's frontmatter cascades are made of. */
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
