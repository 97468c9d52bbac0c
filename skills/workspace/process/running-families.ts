import type { ProcessFamily } from './process-family.js'

/** The families of this process that may still run. */
const running = new Set<ProcessFamily>()

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Ends a family with this process, for as long as it runs: a command is in a group of its own, so that what
 * ends this process does not reach it.
 *
 * @returns a function to call once the family has ended
 */
export function endWithProcess(family: ProcessFamily): () => void {
  if (running.size === 0) listen()
  running.add(family)
  return () => {
    if (running.delete(family) && running.size === 0) unlisten()
  }
}

function listen(): void {
  process.on('exit', killAll)
  for (const signal of SIGNALS) process.on(signal, onSignal)
}

function unlisten(): void {
  process.off('exit', killAll)
  for (const signal of SIGNALS) process.off(signal, onSignal)
}

/** Ends this process on a signal that has no other listener, as it would have ended without us. */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return
  killAll()
  unlisten()
  process.kill(process.pid, signal)
}

function killAll(): void {
  for (const family of running) family.send('SIGKILL', family.alive())
}
