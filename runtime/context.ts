import type { JsonObject } from '../src/json.js'
import type { Globals } from './globals.js'
import type { ToolDef } from './tool-def.js'

/** What a tool is called with, beside its arguments. */
export interface Context {
  /** The invocation's arguments. */
  args: unknown
  globals: Globals
  run: {
    tool: {
      name: string
      def: ToolDef
      /** The schemas that hold for this invocation, `$resolve` done. */
      params?: JsonObject
      returns?: JsonObject
    }
  }
  signal?: AbortSignal
  manager: {
    /** Calls another tool. */
    invoke: (ref: string, args?: unknown) => Promise<unknown>
  }
}
