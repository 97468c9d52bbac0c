import { setTimeout as sleep } from 'node:timers/promises'
import { isJsonObjectLike } from './json-value.js'
import { messageOf, type Subject } from './subject.js'

/** Looks whether approval keys are the same for the same arguments, and nothing but a text. */
export async function checkKey({ definition, samples, fault }: Subject): Promise<void> {
  const derive = definition?.deriveApprovalKey
  if (!derive) return
  for (const [index, args] of samples.entries()) {
    try {
      const key = (given: unknown): unknown => derive(given as never)
      const first = key(structuredClone(args))
      if (typeof first !== 'string') {
        fault('key', 'The approval key must be a string, returned synchronously.', index)
        continue
      }
      // Longer than a tick of the clock, so that a time in it shows.
      await sleep(5)
      if (key(turned(args)) !== first)
        fault('key', 'The approval key differs between calls with the same arguments.', index)
    } catch (error) {
      fault('key', `Deriving the approval key throws: ${messageOf(error)}`, index)
    }
  }
}

/** A copy with the keys of each object in reverse order, which means the same. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned)
  if (!isJsonObjectLike(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, turned(item)]),
  )
}
