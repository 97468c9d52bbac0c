import {
  FILE_START,
  type Finding,
  finding,
  type Place,
  type RuleName,
} from '../../diagnostics/diagnostics.js'
import type { EvaluationProblem } from './evaluate-modules.js'

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
