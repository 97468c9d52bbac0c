import type { Progress } from 'agent-apps/compiler'

/** The bar appears after this time, in ms. */
const DELAY = 1000
const INTERVAL = 100
const WIDTH = 24

/** A progress bar for a terminal, shown once compiling takes over a second; hidden in CI and pipes. */
export function progressBar(quiet: boolean): { update: (progress: Progress) => void; end: () => void } {
  const { stderr, env } = process
  const started = performance.now()
  let shownAt = 0
  const isShown = stderr.isTTY && !env.CI && !quiet
  return {
    update({ done, total }) {
      const now = performance.now()
      if (!isShown || now - started < DELAY || now - shownAt < INTERVAL) return
      shownAt = now
      const filled = Math.round((done / total) * WIDTH)
      stderr.write(`\r${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${done}/${total} files `)
    },
    end() {
      if (shownAt > 0) stderr.write('\r\u001B[2K')
    },
  }
}
