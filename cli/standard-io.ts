import { readFileSync } from 'node:fs'

/** The streams of a command line, and its signal. The environment and the working directory are the process's. */
export interface Io {
  /** Reads all of the standard input. */
  readInput: () => string
  /** Asks a question until `signal` is aborted; null if nobody answers, as without a terminal. */
  ask: (question: string, signal?: AbortSignal) => Promise<string | null>
  stdout: Terminal
  stderr: Terminal
  /** Waits until all that was written has reached the system, or cannot reach it any more. */
  flush: () => Promise<void>
  /** Aborted when the command is to end. */
  signal: AbortSignal
}

/** An output stream, which may be a terminal. */
export interface Terminal {
  write: (text: string) => unknown
  isTTY?: boolean
  columns?: number
}

/**
 * The streams of this process, and Ctrl-C. From here on standard output is the results' alone: what code that a command runs
 * writes there, `console.log` included, goes to standard error.
 */
export function standardIo(): Io {
  const { stdout, stderr } = process
  const signal = interruptSignal()
  const write = stdout.write.bind(stdout)
  stdout.write = ((...words: Parameters<typeof write>) => {
    stderr.write(...words)
    // Whoever pipes into standard output waits for that one to drain, which never fills.
    return true
  }) as typeof write
  // A reader that has seen enough (`agent-apps list | head`) is not a fault.
  stdout.on('error', error => {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  })
  return {
    readInput: () => readFileSync(0, 'utf8'),
    ask: async (question, unwanted) => {
      // Not opened before, which takes as long as `--help`.
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

/** Aborts at the first Ctrl-C; the second ends the process as it would have without us. */
function interruptSignal(): AbortSignal {
  const controller = new AbortController()
  process.once('SIGINT', () => controller.abort())
  return controller.signal
}
