import { setTimeout as sleep } from 'node:timers/promises'
import type { Subject } from './subject.js'

/** The times of the abort, in milliseconds after the call: about when it begins, and while it runs. */
const DELAYS = [0, 20]

/** Checks that aborted calls end soon and leave nothing running. */
export async function checkAbort(subject: Subject): Promise<void> {
  for (const delay of DELAYS) if (!(await endsAborted(subject, delay))) return
}

async function endsAborted({ call, slow, abortMs, fault }: Subject, delay: number): Promise<boolean> {
  const running = runningSince()
  const controller = new AbortController()
  const ended = call(slow, { signal: controller.signal }).then(
    () => true,
    () => true,
  )
  await within(ended, delay)
  controller.abort()
  if (!(await within(ended, abortMs))) {
    fault('abort', `A call continues for more than ${abortMs} ms after it was aborted.`)
    return false
  }
  const left = await running(abortMs)
  if (left.length > 0) fault('abort', `An aborted call leaves something running: ${left.join(', ')}.`)
  return left.length === 0
}

/** True if a promise is fulfilled in time. */
export async function within(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const controller = new AbortController()
  const late = sleep(milliseconds, false, controller).catch(() => false)
  try {
    return await Promise.race([promise.then(() => true), late])
  } finally {
    controller.abort()
  }
}

/**
 * Notes what keeps the process alive now. The returned function waits, for at most a time, until nothing else does, and
 * returns what is left.
 */
export function runningSince(): (milliseconds: number) => Promise<string[]> {
  const before = process.getActiveResourcesInfo()
  return async milliseconds => {
    const until = performance.now() + milliseconds
    for (;;) {
      const left = [...process.getActiveResourcesInfo()]
      for (const one of before) if (left.includes(one)) left.splice(left.indexOf(one), 1)
      if (left.length === 0 || performance.now() >= until) return left
      await sleep(5)
    }
  }
}
