import { pathToFileURL } from 'node:url'
import { orNull } from '../../../src/base/attempt.js'
import { isJsonObject, type JsonObject } from '../../../src/base/json.js'
import {
  FILE_START,
  type Finding,
  finding,
  type Place,
  type RuleName,
} from '../../diagnostics/diagnostics.js'
import type { startChild } from '../../files/child-process.js'

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

interface Evaluation {
  /** Absolute. */
  file: string
  exports: string[]
}

export type EvaluationResult =
  | {
      /** The frontmatter by export. */
      frontmatter: Map<string, JsonObject>
      /** The schema that keeps a tool from having frontmatter, by export. */
      unsupported: Map<string, UnsupportedPart>
      problem?: never
    }
  | { problem: EvaluationProblem; frontmatter?: never; unsupported?: never }

/** A schema that cannot be described as JSON Schema: the fault and the remedy. */
interface UnsupportedPart {
  part: string
  message: string
  hint: string
}

interface EvaluationProblem {
  kind: 'throws' | 'hangs' | 'exits' | 'not-json'
  /** The error thrown, or the kind of the value that JSON lacks. */
  message: string
  stack: string
  /** For a value that JSON lacks: the export, and the path in its frontmatter. */
  at?: { exported: string; path: string }
}

/** How long a module may take to be imported, in ms. */
const TIME_LIMIT = 5000
/** How long its process may take to start, in ms, which a busy machine may delay. */
const START_LIMIT = 60_000
/** Modules that are imported at the same time. */
const AT_ONCE = 4
/** Characters of one tool's frontmatter as JSON. */
const FRONTMATTER_LIMIT = 256 * 1024

/**
 * Imports modules to learn their values that are not literal, each in its own process: a module
 * that throws, hangs, kills its process, patches its globals or prints harms only itself. A thread would not
 * do: code that waits for another program cannot be ended there, and it shares the compiler's standard
 * output.
 */
export async function evaluateModules(
  evaluations: readonly Evaluation[],
  timeLimit = TIME_LIMIT,
): Promise<EvaluationResult[]> {
  // Loaded on demand, since most projects have no such code.
  const { startChild: start } = await import('../../files/child-process.js')
  const results: EvaluationResult[] = []
  const waiting = [...evaluations.entries()]
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, evaluation] = next
      results[index] = await evaluate(evaluation, timeLimit, start)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return results
}

function evaluate(
  { file, exports }: Evaluation,
  timeLimit: number,
  start: typeof startChild,
): Promise<EvaluationResult> {
  return new Promise(fulfil => {
    const child = start(new URL('./evaluate-worker.js', import.meta.url))
    const hangsAfter = (ms: number): NodeJS.Timeout =>
      setTimeout(() => fail('hangs', `did not finish within ${ms / 1000} s`), ms)
    let timer = hangsAfter(START_LIMIT)
    // The first message says that the import begins.
    child.once('message', () => {
      clearTimeout(timer)
      timer = hangsAfter(timeLimit)
      child.on('message', answer => end(readAnswer(answer, exports)))
    })
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
  const unsupported = new Map<string, UnsupportedPart>()
  for (const name of exports) {
    const json = isJsonObject(found) && Object.hasOwn(found, name) ? found[name] : undefined
    const answered =
      typeof json === 'string' && json.length <= FRONTMATTER_LIMIT ? orNull(() => JSON.parse(json)) : null
    const { frontmatter: value, notJson, unsupported: schema } = isJsonObject(answered) ? answered : {}
    if (isJsonObject(schema)) {
      const { part, message, hint } = schema
      unsupported.set(name, { part: String(part), message: String(message), hint: String(hint) })
      continue
    }
    if (isJsonObject(notJson)) {
      const at = { exported: name, path: String(notJson.path) }
      return { problem: { kind: 'not-json', message: String(notJson.what), stack: '', at } }
    }
    if (!isJsonObject(value)) {
      const problem = `the frontmatter of "${name}" is not an object of at most ${FRONTMATTER_LIMIT / 1024} KiB`
      return { problem: { kind: 'throws', message: problem, stack: '' } }
    }
    frontmatter.set(name, value)
  }
  return { frontmatter, unsupported }
}

const RULES = {
  throws: 'code-throws',
  hangs: 'code-hangs',
  exits: 'code-exits',
  'not-json': 'value-not-json',
} as const satisfies Record<EvaluationProblem['kind'], RuleName>

/** The rules that running a file's code can break for all of the file. */
export const EVALUATION_RULES: ReadonlySet<RuleName> = new Set([...Object.values(RULES), 'forbidden-key'])

/**
 * The fault of a code skill's file that was imported to learn its metadata.
 *
 * @param placeOf the place of a value that is known only from running the code
 */
export function evaluationFault(
  { kind, message, stack, at }: EvaluationProblem,
  path: string,
  placeOf: (at: NonNullable<EvaluationProblem['at']>) => Place = () => FILE_START,
): Finding {
  return finding(RULES[kind], at ? placeOf(at) : placeInStack(stack, path), message)
}

/** The place in the author's file that a stack names first; its start where it names none. */
function placeInStack(stack: string, path: string): Place {
  const name = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const [, line, column] = new RegExp(`${name}:(\\d+):(\\d+)`).exec(stack) ?? []
  return line === undefined ? FILE_START : { line: Number(line), column: Number(column) }
}
