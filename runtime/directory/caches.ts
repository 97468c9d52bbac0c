import type { Globals } from '../state/context.js'
import { defaultGlobals, emptyCache, emptyCascades } from '../state/globals.js'
import { forgetSnapshot } from './look-up.js'

/** Forgets what is known of a tool: to be called after it was compiled anew. */
export function clearToolCache(name: string, globals: Globals = defaultGlobals()): void {
  if (globals.untrustedView) clearToolCache(name, globals.untrustedView)
  forgetReference(name, globals)
  globals.cache.file.clear()
  globals.cache.mainInDir.clear()
  // Kept by source, and every tool below a main skill has it.
  globals.cache.authority.clear()
  // The index may be another one by now, and where there is none, the files.
  for (const state of globals.directories.values()) {
    state.index = undefined
    forgetSnapshot(state, globals)
  }
}

/**
 * Forgets what a reference led to, look-ups under way included: to be called where a registered tool comes or
 * goes.
 */
export function forgetReference(ref: string, { cache, missing, resolving, chains }: Globals): void {
  for (const keys of [cache.tool, missing, resolving]) {
    for (const key of keys.keys()) if (key.startsWith(`${ref}\0`)) keys.delete(key)
  }
  cache.list.clear()
  // A registered tool may be middleware of any.
  Object.assign(cache, emptyCascades())
  chains.clear()
}

/** Forgets everything but registered tools: to be called after `clean`. */
export function clearAllCaches(globals: Globals = defaultGlobals()): void {
  delete globals.untrustedView
  Object.assign(globals.cache, emptyCache())
  const { missing, resolving, chains, directories, diagnostics } = globals
  for (const known of [missing, resolving, chains, directories, diagnostics]) known.clear()
}
