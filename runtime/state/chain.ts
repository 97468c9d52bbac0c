import type { JsonObject } from '../../src/base/json.js'
import type { HookTrigger } from '../../src/skill/metadata-keys.js'
import type { ToolDef } from './tool-def.js'

/** A middleware around a tool, ready to run. */
export interface ChainStep {
  name: string
  def: ToolDef
  args: unknown
  /** True if it is called directly, without a chain of its own. */
  static: boolean
  /** Set if it wraps every entry, or the whole invocation. */
  hook?: readonly HookTrigger[]
  /** True if `args` contains `${…}`, which is filled in when it runs. */
  isVolatile?: true
}

/** The middlewares around a tool, outermost first. */
export interface Chain {
  /** All steps, hooks in their places. */
  steps: readonly ChainStep[]
  /** The steps that are not hooks. */
  entries: readonly ChainStep[]
  /** The hooks that wrap every entry and the tool, outermost first. */
  nextHooks: readonly ChainStep[]
  /** The hooks that wrap the whole invocation, outermost first. */
  invokeHooks: readonly ChainStep[]
  /** The tool whose `delegate` is inherited as the body. */
  body?: ToolDef
  /** The inherited `interpolate`: true if `${…}` in the tool's content is filled in. */
  interpolate?: boolean
  /** Inherited schemas, where the tool has none of its own. */
  schemas?: Schemas
}

export interface Schemas {
  params?: JsonObject
  returns?: JsonObject
}

/** A tool's cascade, as a runtime caches it. */
export interface KnownCascade {
  /** The configuration of each middleware around it, by key. */
  middleware: ReadonlyMap<string, unknown>
  /** Their keys, outermost first. */
  order: readonly string[]
  /** Its own `$hook`: how it runs as a middleware. */
  hook: readonly HookTrigger[]
  /** The plain keys of its effective metadata: any may be the name of a middleware. */
  toolKeys: readonly string[]
  /** Its own `$self`: its default arguments as a middleware. */
  selfDefaults?: JsonObject
  resolvedChain: Chain
  /** The paths that `${…}` in the configurations read, sorted. */
  deps: readonly string[]
  tool: ToolDef
  /** The tools whose files it depends on. */
  sources: readonly ToolDef[]
  /** The state of the directories when it was resolved; null if files are not checked. */
  stamp?: string | null
}

export const EMPTY_CHAIN: Chain = Object.freeze({ steps: [], entries: [], nextHooks: [], invokeHooks: [] })
