import { disk } from '#disk'
import { runtimeClosed } from '../src/base/error.js'
import { checkOptions } from '../src/base/options.js'
import { endApprovals } from './approvals/kept-approvals.js'
import { endStored } from './approvals/waiting-request.js'
import { clearAllCaches } from './directory/caches.js'
import { lifecycleOf } from './lifecycle/runtime-lifecycle.js'
import { withOpenSkills } from './policy/opened-skills.js'
import { endSlots } from './session/slots.js'
import type { Globals } from './state/context.js'
import { RegisteredToolMap } from './state/globals.js'

/** How long what a runtime saw holds: for a turn, and until it is closed. */

/** The options of a turn. */
export interface TurnOptions {
  /** Aborts all calls of the turn. */
  signal?: AbortSignal
}

/**
 * Runs work that sees one state of the files. Under `trust`, and where there are none, nothing is looked at
 * anyway.
 */
export async function turn<Result>(
  globals: Globals,
  work: () => Result | Promise<Result>,
  options: TurnOptions = {},
): Promise<Result> {
  checkOptions('turn', options, { signal: 'object' })
  if (globals.configure) await globals.configure()
  if (globals.closed) throw runtimeClosed()
  const isTrusted = globals.config.freshness === 'trust'
  return lifecycleOf(globals).turns.run(options.signal, () =>
    withOpenSkills(globals, async () => (isTrusted ? work() : disk.turn(async () => work()))),
  )
}

/**
 * Ends a runtime: tools with hooks are deactivated and disposed of. It finds nothing any more, and holds
 * nothing: tools that were registered, listeners, caches. Look-ups that are under way are waited for. A tool
 * without hooks that is running goes on; none can call another.
 */
export async function close(globals: Globals): Promise<void> {
  globals.closed = true
  const { resolving, chains, tools, events } = globals
  const pending = [...resolving.values(), ...[...chains.values()].map(({ chain }) => chain)]
  await globals.lifecycle?.shutDown()
  // The files that tools kept for sessions go with the runtime.
  for (const end of globals.sessionEnds ?? []) await end()
  const faults = [...globals.diagnostics].filter(([, { rule }]) => rule === 'hook-fails')
  release()
  await Promise.allSettled(pending)
  // What was under way kept what it found.
  release()
  for (const [key, fault] of faults) globals.diagnostics.set(key, fault)

  function release(): void {
    tools.programmaticTools = new RegisteredToolMap()
    events.listeners.clear()
    clearAllCaches(globals)
    delete globals.parser
    delete globals.configure
  }
}

/** The kinds of state that a session has: each function removes one. */
const ENDINGS: readonly ((sessionId: string, globals: Globals) => void | Promise<void>)[] = [
  endApprovals,
  endSlots,
  endStored,
  endOthers,
]

/** Ends a session: removes all that is kept for it, in memory and in the runtime's store. */
export async function endSession(globals: Globals, sessionId: string): Promise<void> {
  for (const end of ENDINGS) await end(sessionId, globals)
}

/** Ends what the library's tools keep for a session. */
async function endOthers(sessionId: string, { sessionEnds = [] }: Globals): Promise<void> {
  for (const end of sessionEnds) await end(sessionId)
}
