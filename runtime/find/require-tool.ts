import { isToolName } from '../../src/skill/names.js'
import { toolBroken } from '../../src/skill/skill-faults.js'
import { lazy } from '../host/later.js'
import type { Globals } from '../state/context.js'
import { defaultGlobals } from '../state/globals.js'
import type { Resolution, ToolDef } from '../state/tool-def.js'
import { findTool, knownTool, resolve } from './find-tool.js'

const faults = lazy(() => import('./call-faults.js'))

/**
 * Finds a reference's tool. In a namespace, a bare name first means one of that namespace's tools.
 *
 * @throws TOOL_NOT_FOUND, TOOL_BROKEN
 */
export async function requireTool(ref: string, globals: Globals, namespace = ''): Promise<ToolDef> {
  return toolOf(await resolveWithin(namespace, ref, globals), ref, globals)
}

/** Resolves a reference that is written in a namespace. */
export async function resolveWithin(namespace: string, ref: string, globals: Globals): Promise<Resolution> {
  const own = ownName(namespace, ref)
  return (own === null ? null : await resolve(own, globals)) ?? resolve(ref, globals)
}

/**
 * Resolves a reference that a program or a model gives. Unlike one in a skill, it may lead to a remote skill, if it leads
 * to no other.
 */
export async function resolveGiven(ref: string, globals: Globals, namespace = ''): Promise<Resolution> {
  const { remote } = globals
  // Under `trust` an earlier miss is cached, so that only remote entries are asked.
  const isMissing = remote && namespace === '' && !globals.closed && knownTool(ref, globals) === null
  const found = isMissing ? null : await resolveWithin(namespace, ref, globals)
  if (found || !remote) return found
  const own = ownName(namespace, ref)
  const tool = (own === null ? null : await remote.find(own)) ?? (await remote.find(ref))
  return tool && { tool }
}

/**
 * Finds the tool of a reference that a program gives, or null.
 *
 * @throws TOOL_BROKEN for a path or `file://` URI whose file is broken; OPTIONS_INVALID unless the reference is a string;
 *   the faults of remote path entries
 */
export async function findGiven(ref: string, globals: Globals = defaultGlobals()): Promise<ToolDef | null> {
  const tool = await findTool(ref, globals)
  return tool ?? (globals.remote ? ((await resolveGiven(ref, globals))?.tool ?? null) : null)
}

/**
 * Finds the tool of a reference that a program or a model gives.
 *
 * @throws TOOL_NOT_FOUND, TOOL_BROKEN, and the faults of remote path entries
 */
export async function requireGiven(ref: string, globals: Globals, namespace = ''): Promise<ToolDef> {
  return toolOf(await resolveGiven(ref, globals, namespace), ref, globals)
}

async function toolOf(resolution: Resolution, ref: string, globals: Globals): Promise<ToolDef> {
  if (resolution?.tool) return resolution.tool
  if (resolution?.broken) throw toolBroken(ref, resolution.broken)
  throw await (await faults()).toolNotFound(ref, globals)
}

/** Qualifies a reference that a program or a model gives in a namespace, so that it leads to the same tool from anywhere. */
export async function nameGiven(ref: string, globals: Globals, namespace: string): Promise<string> {
  const own = ownName(namespace, ref)
  return own !== null && (await resolveGiven(own, globals)) ? own : ref
}

/** Qualifies a reference that is written in a namespace, so that it leads to the same tool from anywhere. */
export async function nameWithin(namespace: string, ref: string, globals: Globals): Promise<string> {
  const own = ownName(namespace, ref)
  return own !== null && (await resolve(own, globals)) ? own : ref
}

function ownName(namespace: string, ref: string): string | null {
  return namespace !== '' && isToolName(ref) ? `${namespace}:${ref}` : null
}
