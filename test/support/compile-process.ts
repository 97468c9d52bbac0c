import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'
import { ROOT } from './processes.js'

const SCRIPT = fileURLToPath(new URL('compile-process.mjs', import.meta.url))

export interface Question {
  /** Compiled at the same time. */
  directories: string[]
  force?: boolean
  /** A bundle of each, relative to its directory. */
  bundle?: string
  fate?: Fate | null
}

/** Killed before the call that writes of this number, from 1; with a code, it and those after it fail instead. Or killed a while (ms) after a moment. */
export type Fate = { at: number; code?: string } | { from: 'start' | 'writing'; after: number }

export interface Answer {
  /** The directories whose compile ended. */
  ended: string[]
  /** Null where the process was killed. */
  done: { calls: number; outcomes: (string | null)[]; took: number; wrote: number } | null
}

/** A process that has loaded the compiler, and compiles what it is asked to. */
export interface CompileProcess {
  ask(question: Question): Promise<Answer>
  /** Gone when the promise is kept. */
  end(): Promise<void>
}

const running = new Set<CompileProcess>()
afterAll(() => Promise.all([...running].map(one => one.end())))

/** @param node another Node binary than this one */
export function startCompileProcess(node = process.execPath): CompileProcess {
  const child = spawn(node, [SCRIPT], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  const lines = createInterface({ input: child.stdout as Readable })
  let ended: string[] = []
  let settle: ((answer: Answer) => void) | undefined
  lines.on('line', line => {
    const said = JSON.parse(line)
    if (said.ended === undefined) settle?.({ ended, done: said })
    else ended.push(said.ended)
  })
  // What it said before it died was read by then.
  const gone = Promise.all([once(lines, 'close'), once(child, 'exit')])
  const one: CompileProcess = {
    ask: question =>
      new Promise(done => {
        ended = []
        settle = done
        void gone.then(() => done({ ended, done: null }))
        child.send(question, () => {})
      }),
    end: async () => {
      if (child.connected) child.disconnect()
      await gone
    },
  }
  running.add(one)
  void gone.then(() => running.delete(one))
  return one
}
