import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'

const MEMORY_LIMIT_MB = 512

/** Starts a process for an author's code. The code can harm only that process. */
export function startChild(module: URL): ChildProcess {
  return fork(fileURLToPath(module), [String(process.pid)], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: ['--enable-source-maps', '--no-warnings', `--max-old-space-size=${MEMORY_LIMIT_MB}`],
  })
}

/** How often the parent is looked for, in ms. */
const INTERVAL = 250

/** The code of the thread. It is a string, since it imports nothing. */
const WATCH = `const { workerData } = require('node:worker_threads')
setInterval(() => {
  if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL')
}, ${INTERVAL})`

/**
 * Ends this process, which `startChild` started, once its parent process is gone. A thread watches the parent, because code that never
 * yields receives no event about it. The promise resolves when that thread runs.
 */
export async function endWithParent(): Promise<void> {
  process.once('disconnect', () => process.exit())
  const workerData = Number(process.argv[2])
  const watching = new Worker(WATCH, { eval: true, workerData, execArgv: [], env: {} })
  watching.unref()
  await once(watching, 'online')
}
