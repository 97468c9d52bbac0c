import { clearAllCaches, type Globals } from 'agent-apps'

/** The process's default globals, whose tools every runtime finds: a test takes away what it registers there. */
export function defaultGlobals(): Globals {
  // Whatever uses them first makes them.
  clearAllCaches()
  const holder = globalThis as unknown as Record<symbol, Globals>
  return holder[Symbol.for('agent-apps.globals')] as Globals
}
