import { FILE_START, type Finding, finding, type Place, type RuleName } from '../diagnostics.js'
import type { EvaluationResult } from './evaluate-modules.js'

const RULES = {
  throws: 'code-throws',
  hangs: 'code-hangs',
  exits: 'code-exits',
} as const satisfies Record<string, RuleName>

/** What is wrong with a code skill's file whose import failed. */
export function evaluationFault(
  { kind, message, stack }: NonNullable<EvaluationResult['problem']>,
  path: string,
): Finding {
  return finding(RULES[kind], placeInStack(stack, path), message)
}

/** The place in the author's file that a stack names first; its start where it names none. */
function placeInStack(stack: string, path: string): Place {
  const name = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const [, line, column] = new RegExp(`${name}:(\\d+):(\\d+)`).exec(stack) ?? []
  return line === undefined ? FILE_START : { line: Number(line), column: Number(column) }
}
