import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { JsonObject } from '../../src/json.js'

export interface EvaluationRequest {
  url: string
  /** The exports that are tools. */
  exports: string[]
}

/** Frontmatter by export, as JSON; or what was thrown. */
export type EvaluationAnswer = { found: Record<string, string> } | { message: string; stack: string }

export interface Evaluation {
  /** Absolute. */
  file: string
  exports: string[]
}

export type EvaluationResult =
  | { frontmatter: Map<string, JsonObject>; problem?: never }
  | { problem: { kind: 'throws' | 'hangs' | 'exits'; message: string; stack: string }; frontmatter?: never }

/** The number of a thread that is no more. */
const ENDED = -1

/** How long a module may take to be imported, in ms. */
const TIME_LIMIT = 5000

/**
 * Imports modules, one after the other, to learn what is not literal in them. One that throws, hangs or ends
 * the process is told from the others, which are imported all the same; what it prints is dropped.
 */
export async function evaluateModules(
  evaluations: readonly Evaluation[],
  timeLimit = TIME_LIMIT,
): Promise<EvaluationResult[]> {
  const results: EvaluationResult[] = []
  let worker: Worker | null = null
  try {
    for (const evaluation of evaluations) {
      const isUsed: boolean = worker !== null
      worker ??= startWorker()
      let result = await evaluate(worker, evaluation, timeLimit)
      if (isUsed && endsWorker(result)) {
        // What an earlier module left running may be what ended or blocked it.
        await worker.terminate()
        worker = startWorker()
        result = await evaluate(worker, evaluation, timeLimit)
      }
      results.push(result)
      if (endsWorker(result)) {
        await worker.terminate()
        worker = null
      }
    }
    return results
  } finally {
    await worker?.terminate()
  }
}

function endsWorker({ problem }: EvaluationResult): boolean {
  return problem !== undefined && problem.kind !== 'throws'
}

function startWorker(): Worker {
  const worker = new Worker(new URL('./evaluate-worker.js', import.meta.url), {
    stdout: true,
    stderr: true,
    execArgv: ['--enable-source-maps', '--no-warnings'],
  })
  worker.stdout.resume()
  worker.stderr.resume()
  // An error that comes after its module was answered for is nobody's.
  worker.on('error', () => {})
  return worker
}

function evaluate(
  worker: Worker,
  { file, exports }: Evaluation,
  timeLimit: number,
): Promise<EvaluationResult> {
  return new Promise(settle => {
    if (worker.threadId === ENDED) return settle(ended())
    const timer = setTimeout(() => fail('hangs', `did not finish within ${timeLimit / 1000} s`), timeLimit)
    const listeners = {
      message: (answer: EvaluationAnswer) => {
        if ('message' in answer) fail('throws', answer.message, answer.stack)
        else
          end({
            frontmatter: new Map(
              Object.entries(answer.found).map(([name, json]) => [name, JSON.parse(json)]),
            ),
          })
      },
      error: (error: unknown) => fail('exits', (error as Error).message, (error as Error).stack),
      exit: (code: number) => end(ended(code)),
    }
    for (const [event, listener] of Object.entries(listeners)) worker.on(event, listener)
    worker.postMessage({ url: pathToFileURL(file).href, exports } satisfies EvaluationRequest)

    function fail(kind: 'throws' | 'hangs' | 'exits', message: string, stack = ''): void {
      end({ problem: { kind, message, stack } })
    }

    function end(result: EvaluationResult): void {
      clearTimeout(timer)
      for (const [event, listener] of Object.entries(listeners)) worker.off(event, listener)
      settle(result)
    }
  })
}

function ended(code = 1): EvaluationResult {
  return { problem: { kind: 'exits', message: `exit code ${code}`, stack: '' } }
}
