/** How long what a runtime saw holds: for a turn, and until it is closed. */
import { disk } from '#disk'
import { runtimeClosed } from '../src/base/error.js'
import { clearAllCaches } from './directory/caches.js'
import type { Globals } from './state/context.js'
import { RegisteredToolMap } from './state/registered-tools.js'

/**
 * Runs work that sees one state of the files. Under `trust`, and where there are none, nothing is looked at
 * anyway.
 */
export async function turn<Result>(globals: Globals, work: () => Result | Promise<Result>): Promise<Result> {
  if (globals.configure) await globals.configure()
  if (globals.closed) throw runtimeClosed()
  return globals.config.freshness === 'trust' ? work() : disk.turn(async () => work())
}

/**
 * Ends a runtime: it finds nothing any more, and holds nothing: tools that were registered, listeners,
 * caches. Look-ups that are under way are waited for. A tool that is running goes on, and can call no other.
 */
export async function close(globals: Globals): Promise<void> {
  globals.closed = true
  const { resolving, settling, tools, events } = globals
  const pending = [...resolving.values(), ...[...settling.values()].map(({ chain }) => chain)]
  release()
  await Promise.allSettled(pending)
  // What was under way kept what it found.
  release()

  function release(): void {
    tools.programmaticTools = new RegisteredToolMap()
    events.listeners.clear()
    clearAllCaches(globals)
    delete globals.parser
    delete globals.configure
  }
}
