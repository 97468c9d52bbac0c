import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'

/** How long the rest is waited for once the command has ended, in ms: while none comes, and at most. */
const QUIET_MS = 250
const REST_MS = 2000

export interface OutputReading {
  /** Never fulfilled; rejected with what taking a part throws. */
  failed: Promise<never>
  /** Reads what is still to be read. A process that goes on elsewhere may keep the pipe open. */
  end: () => Promise<void>
}

/** Hands on all parts of a stream, one after the other. */
export function readOutput(stream: Readable, take: (part: Buffer) => Promise<void>): OutputReading {
  let last = 0
  let isBusy = false
  let isDone = false
  const reading = readAll().finally(() => {
    isDone = true
  })
  const failed = new Promise<never>((_, reject) => {
    reading.catch(reject)
  })
  // Where nobody waits for it any more, the command has ended for another reason.
  failed.catch(() => {})
  return { failed, end }

  async function readAll(): Promise<void> {
    try {
      for await (const part of stream) {
        isBusy = true
        await take(part)
        isBusy = false
        last = performance.now()
      }
    } catch (error) {
      // A stream that was closed early, not one whose part was not taken.
      if (isBusy || !stream.destroyed) throw error
    }
  }

  async function end(): Promise<void> {
    const begun = performance.now()
    const mayCome = (): boolean => {
      const now = performance.now()
      return now - begun < REST_MS && (isBusy || now - Math.max(begun, last) < QUIET_MS)
    }
    while (!isDone && mayCome()) await Promise.race([reading, wait(10)])
    stream.destroy()
    await reading
  }
}
