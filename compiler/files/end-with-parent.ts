import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** How often the parent is looked for, in ms. */
const INTERVAL = 250

/** What the thread does. It is a text, as it needs nothing else. */
const WATCH = `const { workerData } = require('node:worker_threads')
setInterval(() => {
  if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL')
}, ${INTERVAL})`

/**
 * Ends this process once its parent process is gone. A thread watches the parent, because code that never yields receives no event
 * about it. The promise resolves when that thread runs.
 *
 * @param parent the number of the process that started this one
 */
export async function endWithParent(parent: number): Promise<void> {
  const watching = new Worker(WATCH, { eval: true, workerData: parent, execArgv: [], env: {} })
  watching.unref()
  await once(watching, 'online')
}
