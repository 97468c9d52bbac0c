import { endApprovals } from '../approvals/session-approvals.js'
import type { Globals } from '../state/context.js'
import { endSlots } from './slots.js'

/** The kinds of state that a session has: each function removes one. */
const ENDINGS: readonly ((sessionId: string, globals: Globals) => void | Promise<void>)[] = [
  endApprovals,
  endSlots,
  endOthers,
]

/** Ends a session: removes all that is kept for it, in memory and in the runtime's store. */
export async function endSession(sessionId: string, globals: Globals): Promise<void> {
  for (const end of ENDINGS) await end(sessionId, globals)
}

/** Ends what the library's tools keep for a session. */
async function endOthers(sessionId: string, { sessionEnds = [] }: Globals): Promise<void> {
  for (const end of sessionEnds) await end(sessionId)
}
