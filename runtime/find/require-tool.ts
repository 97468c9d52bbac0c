import { isToolName } from '../../src/skill/names.js'
import { toolBroken } from '../../src/skill/skill-faults.js'
import { lazy } from '../host/later.js'
import type { Globals } from '../state/context.js'
import type { Resolution, ToolDef } from '../state/tool-def.js'
import { resolve } from './find-tool.js'

const faults = lazy(() => import('./call-faults.js'))

/**
 * Finds a reference's tool. In a namespace, a bare name first means one of that namespace's tools.
 *
 * @throws TOOL_NOT_FOUND, TOOL_BROKEN
 */
export async function requireTool(ref: string, globals: Globals, namespace = ''): Promise<ToolDef> {
  const resolution = await resolveWithin(namespace, ref, globals)
  if (resolution?.tool) return resolution.tool
  if (resolution?.broken) throw toolBroken(ref, resolution.broken)
  throw await (await faults()).toolNotFound(ref, globals)
}

/** Resolves a reference that is written in a namespace. */
export async function resolveWithin(namespace: string, ref: string, globals: Globals): Promise<Resolution> {
  const own = ownName(namespace, ref)
  return (own === null ? null : await resolve(own, globals)) ?? resolve(ref, globals)
}

/** Qualifies a reference that is written in a namespace, so that it leads to the same tool from anywhere. */
export async function nameWithin(namespace: string, ref: string, globals: Globals): Promise<string> {
  const own = ownName(namespace, ref)
  return own !== null && (await resolve(own, globals)) ? own : ref
}

function ownName(namespace: string, ref: string): string | null {
  return namespace !== '' && isToolName(ref) ? `${namespace}:${ref}` : null
}
