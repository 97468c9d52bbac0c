import type { ToolDef } from './tool-def.js'

/** A call, as far as turns and hooks concern it. */
export interface ManagedCall {
  readonly tool: ToolDef
  readonly caller: unknown
  readonly run: { signal: AbortSignal }
  mustGoOn: () => void
}

/**
 * A runtime's turns, tools with hooks, and switched-off tools. Absent until there are any: other runtimes pay
 * nothing for them.
 */
export interface Lifecycle {
  /** Gives a call that a host makes the signal of its turn. */
  enter: (call: ManagedCall) => void
  /** Throws TOOL_INACTIVE or INIT_FAILED for a tool that cannot be called now. Waits until it is known which that are. */
  admit: (tool: ToolDef) => Promise<void> | undefined
  /** False for a tool that is not to be listed. */
  isAvailable: (tool: ToolDef) => boolean
  /** Runs a tool with hooks, once it is initialised. */
  run: (fn: object, call: ManagedCall, work: (instance: unknown) => Promise<unknown>) => Promise<unknown>
  /** Called when a registered tool came or went. */
  forget: (name: string) => void
  /** Deactivates and disposes of all tools with hooks. */
  shutDown: () => Promise<void>
}
