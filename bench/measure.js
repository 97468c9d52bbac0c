import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const PROCESSES = new URL('./processes/', import.meta.url)

/**
 * Runs a script of `processes/` in a fresh Node process; `exits` are the exit codes that mean success, and `place` is
 * where it runs: `cwd`, `env`, `timeout`.
 */
export function run(script, args = [], { nodeFlags = [], exits = [0], place = {} } = {}) {
  const file = fileURLToPath(new URL(script, PROCESSES))
  const { status, stdout, stderr } = spawnSync(process.execPath, [...nodeFlags, file, ...args.map(String)], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    ...place,
  })
  if (!exits.includes(status)) throw new Error(`${script} ${args.join(' ')} ended with ${status}:\n${stderr}`)
  return stdout
}

/**
 * Measures whole processes, in ms. They take turns, one run of each per round, so that whatever else the machine
 * does hits all of them; a first round warms the file system's cache and is not counted.
 *
 * @param subjects by name: `script`, `args`, `exits`, and `prepare`, which runs before each and is not measured
 * @returns the median of each, by name
 */
export async function medians(subjects, runs) {
  const times = new Map(Object.keys(subjects).map(name => [name, []]))
  for (let round = 0; round <= runs; round++) {
    for (const [name, { script, args, exits, prepare }] of Object.entries(subjects)) {
      await prepare?.()
      const started = performance.now()
      run(script, args, { exits })
      if (round > 0) times.get(name).push(performance.now() - started)
    }
  }
  return Object.fromEntries([...times].map(([name, all]) => [name, quantile(all, 0.5)]))
}

/** The value below which a share of all values lies. */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}
