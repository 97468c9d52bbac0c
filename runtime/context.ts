import type { Globals } from './globals.js'
import type { ToolDef } from './tool-def.js'

/** What a tool is called with, beside its arguments. */
export interface Context {
  /** The invocation's arguments. */
  args: unknown
  globals: Globals
  run: { tool: { name: string; def: ToolDef } }
  envelope: {
    /** The call that this one was made by. Absent for the outermost. */
    caller?: Context
    /** How many calls this one stands in: 0 for the outermost. */
    depth: number
  }
  signal?: AbortSignal
  manager: {
    /** Calls another tool. */
    invoke: (ref: string, args?: unknown) => Promise<unknown>
  }
}
