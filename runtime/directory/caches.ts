import type { Globals } from '../state/context.js'
import { defaultGlobals, emptyCache, emptyCascades } from '../state/globals.js'
import { forgetSnapshot } from './look-up.js'

/** Clears the caches of a tool. Call it after the tool was compiled again. */
export function clearToolCache(name: string, globals: Globals = defaultGlobals()): void {
  if (globals.untrustedView) clearToolCache(name, globals.untrustedView)
  forgetReference(name, globals)
  globals.cache.file.clear()
  globals.cache.mainInDir.clear()
  // Keyed by source: every tool below a main skill has an entry.
  globals.cache.authority.clear()
  // The indexes, or the files, may have changed.
  for (const state of globals.directories.values()) {
    state.index = undefined
    forgetSnapshot(state, globals)
  }
}

/**
 * Forgets what a reference led to, including look-ups in progress. Called when a tool is registered or unregistered.
 */
export function forgetReference(ref: string, { cache, missing, resolving, chains }: Globals): void {
  for (const keys of [cache.tool, missing, resolving]) {
    for (const key of keys.keys()) if (key.startsWith(`${ref}\0`)) keys.delete(key)
  }
  cache.list.clear()
  // A registered tool may be middleware of any tool.
  Object.assign(cache, emptyCascades())
  chains.clear()
}

/** Clears everything but registered tools. Call it after `clean`. */
export function clearAllCaches(globals: Globals = defaultGlobals()): void {
  delete globals.untrustedView
  Object.assign(globals.cache, emptyCache())
  const { missing, resolving, chains, directories, diagnostics } = globals
  for (const known of [missing, resolving, chains, directories, diagnostics]) known.clear()
}
