import type { JsonObject } from '../../src/base/json.js'
import type { HookTrigger } from '../../src/skill/metadata-keys.js'
import type { ToolDef } from './tool-def.js'

/** A middleware around a tool, ready to be run. */
export interface ChainStep {
  name: string
  def: ToolDef
  /** Its configuration. */
  args: unknown
  /** Called directly, with no chain of its own. */
  static: boolean
  /** Set where it wraps every entry, or the whole invocation. */
  hook?: readonly HookTrigger[]
  /** True where `args` holds `${…}`, to be filled in when it runs. */
  isVolatile?: true
}

/** The middlewares around a tool, outermost first. */
export interface Chain {
  /** All of it, hooks in their places. */
  steps: readonly ChainStep[]
  /** Those that run in their place. */
  entries: readonly ChainStep[]
  /** Those that wrap every entry and the tool, outermost first. */
  nextHooks: readonly ChainStep[]
  /** Those that wrap the whole invocation, outermost first. */
  invokeHooks: readonly ChainStep[]
  /** The tool whose `delegate` is the body, where that is inherited. */
  body?: ToolDef
  /** True where `${…}` in the tool's content is filled in, by what it inherits. */
  interpolate?: boolean
  /** Schemas that are inherited, as far as the tool has none of its own. */
  schemas?: Schemas
}

export interface Schemas {
  params?: JsonObject
  returns?: JsonObject
}

/** A tool's cascade as a runtime keeps it. */
export interface KnownCascade {
  /** The configuration of each middleware around it, by key. */
  middleware: ReadonlyMap<string, unknown>
  /** Their keys, outermost first. */
  order: readonly string[]
  /** Its own `$hook`: how it runs as a middleware. */
  hook: readonly HookTrigger[]
  /** The plain keys of its metadata, effective: those that middleware may be named after. */
  toolKeys: readonly string[]
  /** Its own `$self`: its default arguments as a middleware. */
  selfDefaults?: JsonObject
  resolvedChain: Chain
  /** The paths that `${…}` in the configurations reads, sorted. */
  deps: readonly string[]
  tool: ToolDef
  /** The tools whose files it depends on. */
  sources: readonly ToolDef[]
  /** The state of the directories when it was resolved; null where that is not checked. */
  stamp?: string | null
}

export const EMPTY_CHAIN: Chain = Object.freeze({ steps: [], entries: [], nextHooks: [], invokeHooks: [] })
