import { processWide } from '../wall/process-wide.js'

/** The last work that runs or waits for each key. */
const turns = processWide('turns', () => new Map<string, Promise<unknown>>())

/** Does work after all that was started earlier for the same key. */
export function oneAtATime<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
  const last = turns()
  const before = last.get(key) ?? Promise.resolve()
  // What failed before this is told to whoever started it.
  const running = before.then(work, work)
  last.set(key, running)
  const end = (): void => {
    if (last.get(key) === running) last.delete(key)
  }
  running.then(end, end)
  return running
}
