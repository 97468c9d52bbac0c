import { setTimeout as wait } from 'node:timers/promises'
import type { ProcessFamily } from './process-family.js'

/** How long processes have to end after they were asked to, in ms. */
const GRACE_MS = 2000
/** How long processes may take to be gone once they were killed, in ms: those that wait for a device take longer. */
const GONE_MS = 3000

/**
 * Ends processes: asks each of them once (TERM), and kills those that are left after `GRACE_MS`.
 *
 * @param alive which of the family are to end, those that still run
 * @returns the ids of those that could not be ended
 */
export async function endFamily(
  family: ProcessFamily,
  alive: () => number[] = () => family.alive(),
): Promise<number[]> {
  const begun = performance.now()
  const asked = new Set<number>()
  for (;;) {
    const left = alive()
    const elapsed = performance.now() - begun
    if (left.length === 0 || elapsed > GRACE_MS + GONE_MS) return left
    if (elapsed >= GRACE_MS) family.send('SIGKILL', left)
    else ask(family, left, asked)
    await wait(elapsed < 100 ? 5 : 50)
  }
}

/** Asks those that were not asked yet; a process that is stopped goes on, so that it can end. */
function ask(family: ProcessFamily, left: readonly number[], asked: Set<number>): void {
  const unasked = left.filter(id => !asked.has(id))
  if (unasked.length === 0) return
  family.send('SIGTERM', unasked)
  family.send('SIGCONT', unasked)
  for (const id of unasked) asked.add(id)
}
