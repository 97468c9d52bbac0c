import { lazy } from './host/later.js'
import type { Globals } from './state/context.js'
import { defaultGlobals } from './state/globals.js'
import type { ToolDef } from './state/tool-def.js'

const listing = lazy(() => import('./find/all-tools.js'))

/**
 * Lists the tools that are registered, then those of each path entry in order of name; of several with one
 * name, the first. Hidden ones are listed, but for the library's, which comes last.
 */
export async function listTools(globals: Globals = defaultGlobals()): Promise<ToolDef[]> {
  return (await listing()).allTools(globals)
}
