import type { JSX } from 'preact'
import type { Problem } from '../../cli/explore/page-data.js'
import { visibleText } from '../../src/policy/shown-text.js'
import { SeverityMark } from './marks.js'
import { Text } from './text.js'

/** So many lines are shown. */
const LINES_MAX = 5_000

/** The text of a file with the numbers of its lines, and the diagnostics below the lines that they are about. */
export function Source({ text, problems }: { text: string; problems: readonly Problem[] }): JSX.Element {
  const lines = text.split(/\r?\n/)
  const byLine = Map.groupBy(problems, ({ line }) => Math.min(Math.max(1, line), lines.length))
  return (
    <div class="source" tabIndex={0} role="group" aria-label="Source">
      {lines.slice(0, LINES_MAX).map((line, at) => (
        <SourceLine key={`${at + 1}`} number={at + 1} line={line} problems={byLine.get(at + 1)} />
      ))}
      {lines.length > LINES_MAX && <p class="aside">{`… ${lines.length - LINES_MAX} more lines`}</p>}
    </div>
  )
}

function SourceLine({
  number,
  line,
  problems = [],
}: {
  number: number
  line: string
  problems?: readonly Problem[] | undefined
}): JSX.Element {
  return (
    <>
      <div class={`line${problems.length > 0 ? ' marked' : ''}`} id={`line-${number}`}>
        <span class="number" aria-hidden="true">
          {number}
        </span>
        <code>{line.split('\t').map(visibleText).join('\t')}</code>
      </div>
      {problems.map(problem => (
        <ProblemNote key={`${problem.rule} ${problem.column} ${problem.reason}`} problem={problem} />
      ))}
    </>
  )
}

/** A diagnostic: what is wrong, and what to do. */
export function ProblemNote({
  problem: { severity, reason, note, rule, known },
}: {
  problem: Problem
}): JSX.Element {
  return (
    <div class={`problem ${severity}`}>
      <SeverityMark severity={severity} />
      <p>
        <strong>
          <Text>{reason}</Text>
        </strong>{' '}
        <Text>{note}</Text> <span class="rule">{rule}</span>
        {known && <span class="rule">accepted by the baseline</span>}
      </p>
    </div>
  )
}
