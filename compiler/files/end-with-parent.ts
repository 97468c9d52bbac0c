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
 * Ends this process once the one that started it is gone. Code that never gives way is not told that its parent left, so a
 * thread of its own looks. It has begun to when this settles.
 *
 * @param parent the number of the process that started this one
 */
export async function endWithParent(parent: number): Promise<void> {
  const watching = new Worker(WATCH, { eval: true, workerData: parent, execArgv: [], env: {} })
  watching.unref()
  await once(watching, 'online')
}
