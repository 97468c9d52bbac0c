import { toolBroken } from '../../src/skill/skill-faults.js'
import { lazy } from '../host/later.js'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { resolveWithin } from './resolve-within.js'

const faults = lazy(() => import('./call-faults.js'))

/**
 * The tool that a reference leads to, which may be written in a namespace. Throws TOOL_NOT_FOUND or TOOL_BROKEN
 * where there is none.
 */
export async function requireTool(ref: string, globals: Globals, namespace = ''): Promise<ToolDef> {
  const resolution = await resolveWithin(namespace, ref, globals)
  if (resolution?.tool) return resolution.tool
  if (resolution?.broken) throw toolBroken(ref, resolution.broken)
  throw await (await faults()).toolNotFound(ref, globals)
}
