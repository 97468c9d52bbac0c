import type { HookTrigger } from '../src/cascade-types.js'
import type { Globals } from './globals.js'
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

/** What runs around a tool, outermost first. */
export interface Chain {
  /** All of it, hooks in their places. */
  steps: readonly ChainStep[]
  /** Those that run in their place. */
  entries: readonly ChainStep[]
  /** Those that wrap every entry and the tool, outermost first. */
  nextHooks: readonly ChainStep[]
  /** Those that wrap the whole invocation, outermost first. */
  invokeHooks: readonly ChainStep[]
}

export const EMPTY_CHAIN: Chain = Object.freeze({ steps: [], entries: [], nextHooks: [], invokeHooks: [] })

/** Sorts steps by where they run. */
export function makeChain(steps: readonly ChainStep[]): Chain {
  if (steps.length === 0) return EMPTY_CHAIN
  const hooked = (trigger: HookTrigger) => steps.filter(({ hook }) => hook?.includes(trigger))
  return Object.freeze({
    steps,
    entries: steps.filter(({ hook }) => hook === undefined),
    nextHooks: hooked('$next'),
    invokeHooks: hooked('$invoke'),
  })
}

/** What runs around a tool. */
export function chainOf(_tool: ToolDef, _globals: Globals): Chain | Promise<Chain> {
  return EMPTY_CHAIN
}
