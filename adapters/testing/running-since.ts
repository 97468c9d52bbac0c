import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Looks what keeps the process alive now. The function that is returned gives what does so besides then, once
 * that does not become less for a time.
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
