import { isToolName } from '../../src/skill/names.js'
import type { Globals } from '../state/context.js'
import type { Resolution } from '../state/tool-def.js'
import { resolve } from './find-tool.js'

/** Finds what a reference leads to that is written in a namespace: a bare name is first one of its own tools'. */
export async function resolveWithin(namespace: string, ref: string, globals: Globals): Promise<Resolution> {
  const own = ownName(namespace, ref)
  return (own === null ? null : await resolve(own, globals)) ?? resolve(ref, globals)
}

/** A reference that is written in a namespace, as it leads to the same tool from anywhere else. */
export async function nameWithin(namespace: string, ref: string, globals: Globals): Promise<string> {
  const own = ownName(namespace, ref)
  return own !== null && (await resolve(own, globals)) ? own : ref
}

function ownName(namespace: string, ref: string): string | null {
  return namespace !== '' && isToolName(ref) ? `${namespace}:${ref}` : null
}
