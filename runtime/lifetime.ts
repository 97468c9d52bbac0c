import { disk } from '#disk'
import { runtimeClosed } from '../src/base/error.js'
import { checkOptions } from '../src/base/options.js'
import { clearAllCaches } from './directory/caches.js'
import { lifecycleOf } from './lifecycle/runtime-lifecycle.js'
import { withOpenSkills } from './policy/opened-skills.js'
import { endSlots } from './session/slots.js'
import type { Globals } from './state/context.js'
import { RegisteredToolMap } from './state/globals.js'
import { storeOf } from './state/runtime-store.js'
import { removeSession } from './state/session-record.js'

/** The options of a turn. */
export interface TurnOptions {
  /** Aborts all calls of the turn. */
  signal?: AbortSignal
}

/**
 * Runs work that sees one state of the files. Under `trust`, files are not looked at anyway.
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
 * Closes a runtime: deactivates and disposes of tools with hooks, waits for look-ups in progress, and drops registered
 * tools, listeners and caches. A running tool without hooks continues, but cannot call others.
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
  // Look-ups in progress have filled the caches.
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
  endSlots,
  endStored,
  endOthers,
]

/** Ends a session: removes its state from memory and the runtime's store. */
export async function endSession(globals: Globals, sessionId: string): Promise<void> {
  for (const end of ENDINGS) await end(sessionId, globals)
}

/** Removes a session's values, its approvals and its requests for approval from the runtime's store. */
function endStored(sessionId: string, globals: Globals): Promise<void> {
  return removeSession(sessionId, storeOf(globals))
}

/** Releases the resources of the library's tools for a session. */
async function endOthers(sessionId: string, { sessionEnds = [] }: Globals): Promise<void> {
  for (const end of sessionEnds) await end(sessionId)
}
