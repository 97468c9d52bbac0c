import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isJsonObject, type JsonObject } from '../../../src/base/json.js'

export interface EvaluationRequest {
  url: string
  /** The exports that are tools. */
  exports: string[]
}

/**
 * The message of a process: by export its frontmatter as JSON, or the value in it that JSON lacks; or the
 * error thrown.
 */
export type EvaluationAnswer = { found: Record<string, string> } | { message: string; stack: string }

export interface Evaluation {
  /** Absolute. */
  file: string
  exports: string[]
}

export type EvaluationResult =
  | { frontmatter: Map<string, JsonObject>; problem?: never }
  | { problem: EvaluationProblem; frontmatter?: never }

export interface EvaluationProblem {
  kind: 'throws' | 'hangs' | 'exits' | 'not-json'
  /** The error thrown, or the kind of the value that JSON lacks. */
  message: string
  stack: string
  /** For a value that JSON lacks: the export, and the path in its frontmatter. */
  at?: { exported: string; path: string }
}

/** How long a module may take to be imported, in ms. */
const TIME_LIMIT = 5000
/** Modules that are imported at the same time. */
const AT_ONCE = 4
/** Characters of one tool's frontmatter as JSON. */
const FRONTMATTER_LIMIT = 256 * 1024
const MEMORY_LIMIT_MB = 512

const WORKER = fileURLToPath(new URL('./evaluate-worker.js', import.meta.url))

/**
 * * Imports modules to learn the values that are not literal in them, each in a process of its own: a module
 * that throws, hangs, kills its process, patches its globals or prints harms only itself. A thread would not
 * do: code that waits for another program cannot be ended there, and it shares the compiler's standard
 * output.
 */
export async function evaluateModules(
  evaluations: readonly Evaluation[],
  timeLimit = TIME_LIMIT,
): Promise<EvaluationResult[]> {
  const results: EvaluationResult[] = []
  const waiting = [...evaluations.entries()]
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, evaluation] = next
      results[index] = await evaluate(evaluation, timeLimit)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return results
}

function startProcess(): ChildProcess {
  return fork(WORKER, [String(process.pid)], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: ['--enable-source-maps', '--no-warnings', `--max-old-space-size=${MEMORY_LIMIT_MB}`],
  })
}

function evaluate({ file, exports }: Evaluation, timeLimit: number): Promise<EvaluationResult> {
  return new Promise(fulfil => {
    const child = startProcess()
    const timer = setTimeout(() => fail('hangs', `did not finish within ${timeLimit / 1000} s`), timeLimit)
    child.on('message', answer => end(readAnswer(answer, exports)))
    child.on('error', error => fail('exits', error.message))
    child.on('exit', (code, signal) => fail('exits', signal ?? `exit code ${code}`))
    child.send({ url: pathToFileURL(file).href, exports } satisfies EvaluationRequest, error => {
      if (error) fail('exits', error.message)
    })

    function fail(kind: 'throws' | 'hangs' | 'exits', message: string): void {
      end({ problem: { kind, message, stack: '' } })
    }

    function end(result: EvaluationResult): void {
      clearTimeout(timer)
      child.kill('SIGKILL')
      fulfil(result)
    }
  })
}

/** Checks a process's answer, in whose place the module's own code can send anything. */
function readAnswer(answer: unknown, exports: readonly string[]): EvaluationResult {
  const { found, message, stack } = isJsonObject(answer) ? answer : {}
  if (typeof message === 'string')
    return { problem: { kind: 'throws', message, stack: typeof stack === 'string' ? stack : '' } }
  const frontmatter = new Map<string, JsonObject>()
  for (const name of exports) {
    const json = isJsonObject(found) && Object.hasOwn(found, name) ? found[name] : undefined
    const answered = typeof json === 'string' && json.length <= FRONTMATTER_LIMIT ? parse(json) : undefined
    const { frontmatter: value, notJson } = isJsonObject(answered) ? answered : {}
    if (isJsonObject(notJson)) {
      const at = { exported: name, path: String(notJson.path) }
      return { problem: { kind: 'not-json', message: String(notJson.what), stack: '', at } }
    }
    if (!isJsonObject(value)) {
      const problem = `the frontmatter of "${name}" is no mapping of at most ${FRONTMATTER_LIMIT / 1024} KiB`
      return { problem: { kind: 'throws', message: problem, stack: '' } }
    }
    frontmatter.set(name, value)
  }
  return { frontmatter }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
