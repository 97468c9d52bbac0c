import { defaultGlobals, type Globals } from './globals.js'

/** Forgets what is known of a tool: to be called after it was compiled anew. */
export function clearToolCache(name: string, globals: Globals = defaultGlobals()): void {
  const { cache, missing, directories } = globals
  for (const map of [cache.tool, cache.authority]) {
    for (const key of map.keys()) if (key === name || key.startsWith(`${name}\0`)) map.delete(key)
  }
  for (const key of missing) if (key.startsWith(`${name}\0`)) missing.delete(key)
  cache.list.clear()
  cache.file.clear()
  cache.mainInDir.clear()
  // The index may be another one by now.
  for (const state of directories.values()) state.index = undefined
}

/** Forgets everything but registered tools: to be called after `clean`. */
export function clearAllCaches(globals: Globals = defaultGlobals()): void {
  for (const map of Object.values(globals.cache)) map.clear()
  globals.missing.clear()
  globals.directories.clear()
  globals.diagnostics.clear()
}
