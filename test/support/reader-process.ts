import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { ROOT } from './processes.js'

const SCRIPT = fileURLToPath(new URL('reader-process.mjs', import.meta.url))

export interface ReaderProcess {
  /** Reads until it is stopped: how often all was read, and what was wrong. */
  read(): Promise<{ seen: number; wrong: string[] }>
  stop(): void
  end(): Promise<void>
}

/** A process that reads a directory's index while others write it. */
export function startReaderProcess(directory: string): ReaderProcess {
  const child = fork(SCRIPT, [directory], { cwd: ROOT })
  const gone = once(child, 'exit')
  return {
    read: () =>
      new Promise(done => {
        child.once('message', answer => done(answer as { seen: number; wrong: string[] }))
        void gone.then(() => done({ seen: 0, wrong: ['the reader is gone'] }))
        child.send('read')
      }),
    stop: () => void child.send('stop'),
    end: async () => {
      if (child.connected) child.disconnect()
      await gone
    },
  }
}
