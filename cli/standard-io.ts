import { readFileSync } from 'node:fs'

/** The streams of a command line, and its signal. Environment and working directory are those of the process. */
export interface Io {
  readInput: () => string
  /** Asks a question until `signal` aborts; null without an answer or a terminal. */
  ask: (question: string, signal?: AbortSignal) => Promise<string | null>
  stdout: Terminal
  stderr: Terminal
  /** Waits until all output is written, or can no longer be. */
  flush: () => Promise<void>
  /** Aborts when the command must end. */
  signal: AbortSignal
}

/** An output stream, which may be a terminal. */
export interface Terminal {
  write: (text: string) => unknown
  isTTY?: boolean
  columns?: number
}

/**
 * The streams of this process, and Ctrl-C. From here on, standard output carries results only: whatever else writes to it,
 * such as a tool's `console.log`, writes to standard error.
 */
export function standardIo(): Io {
  const { stdout, stderr } = process
  const signal = interruptSignal()
  const write = stdout.write.bind(stdout)
  stdout.write = ((...words: Parameters<typeof write>) => {
    stderr.write(...words)
    // Standard output never fills, so writers need not wait for it to drain.
    return true
  }) as typeof write
  // A reader may stop early: `agent-apps list | head`.
  stdout.on('error', error => {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  })
  return {
    readInput: () => readFileSync(0, 'utf8'),
    ask: async (question, unwanted) => {
      // Opened late, since that takes as long as `--help`.
      const { stdin } = process
      if (!stdin.isTTY || !stderr.isTTY) return null
      stderr.write(question)
      const { createInterface } = await import('node:readline')
      const ended = unwanted ? AbortSignal.any([signal, unwanted]) : signal
      const lines = createInterface({ input: stdin, signal: ended })
      for await (const line of lines) return line
      if (ended.aborted) stderr.write('\n')
      return null
    },
    stdout: { write, isTTY: stdout.isTTY, columns: stdout.columns },
    stderr,
    flush: async () => {
      await new Promise<unknown>(done => write('', done))
      await new Promise<unknown>(done => stderr.write('', done))
    },
    signal,
  }
}

/** Aborts at the first Ctrl-C; the second ends the process. */
function interruptSignal(): AbortSignal {
  const controller = new AbortController()
  process.once('SIGINT', () => controller.abort())
  return controller.signal
}
