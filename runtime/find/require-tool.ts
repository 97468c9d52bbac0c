import { toolBroken } from '../../src/base/error.js'
import { lazy } from '../host/later.js'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { resolve } from './find-tool.js'

const faults = lazy(() => import('./call-faults.js'))

/** The tool that a reference leads to. Throws TOOL_NOT_FOUND or TOOL_BROKEN where there is none. */
export async function requireTool(ref: string, globals: Globals): Promise<ToolDef> {
  const resolution = await resolve(ref, globals)
  if (resolution?.tool) return resolution.tool
  if (resolution?.broken) throw toolBroken(ref, resolution.broken)
  throw await (await faults()).toolNotFound(ref, globals)
}
