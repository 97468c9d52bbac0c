import { setTimeout as sleep } from 'node:timers/promises'

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
