import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { PageProblems, Problem } from '../../cli/explore/page-data.js'
import { linkTo, route, setParams } from '../data/route.js'
import type { Row } from '../data/row.js'
import { block, type Rows } from '../data/store.js'
import { Loaded, Notice } from '../parts/loading.js'
import { type Severity, SeverityMark } from '../parts/marks.js'
import { counted, grouped, Text } from '../parts/text.js'

/** So many problems are drawn at once. */
const STEP = 200
const SEVERITIES: readonly Severity[] = ['error', 'warning', 'info']

interface Rule {
  name: string
  severity: Severity
  problems: Problem[]
  files: number
}

/** The diagnostics by rule: the worst first, and of those that are as bad, the most frequent. */
export function ProblemsView({ rows }: { rows: Rows }): JSX.Element {
  return (
    <Loaded from={block<PageProblems>('problems')}>{read => <Problems read={read} rows={rows} />}</Loaded>
  )
}

function Problems({ read, rows }: { read: PageProblems; rows: Rows }): JSX.Element {
  const { params } = route.value
  const { baseline } = read
  const shown = baseline ? (params.get('show') ?? 'new') : 'all'
  const rules = useMemo(
    () => rulesOf(read.problems.filter(({ known }) => shown === 'all' || known === (shown === 'known'))),
    [read, shown],
  )
  const rowByFile = useMemo(() => new Map(rows.rows.toReversed().map(row => [row.file, row])), [rows])
  const chosen = rules.find(({ name }) => name === params.get('rule')) ?? rules[0]
  return (
    <div class="split">
      <section class="side" aria-label="Rules">
        <h1>Problems</h1>
        <Tally rules={rules} />
        {baseline && <BaselineSwitch shown={shown} baseline={baseline} problems={read.problems} />}
        {shown !== 'gone' && (
          <ul class="choices">
            {rules.map(rule => (
              <li key={rule.name}>
                <button
                  type="button"
                  aria-pressed={rule === chosen}
                  onClick={() => setParams({ rule: rule.name })}
                >
                  <span>
                    <SeverityMark severity={rule.severity} />
                    {rule.name}
                  </span>
                  <span class="count">{grouped(rule.problems.length)}</span>
                </button>
              </li>
            ))}
          </ul>
        )}
      </section>
      <section class="detail" aria-label="Problems of the rule">
        {shown === 'gone' && baseline ? (
          <Gone gone={baseline.gone} />
        ) : chosen ? (
          <RuleProblems key={chosen.name} rule={chosen} rowByFile={rowByFile} />
        ) : (
          <Notice title={shown === 'new' ? 'Nothing new' : 'No problems'}>
            {shown === 'new'
              ? 'The baseline accepts everything that was found.'
              : 'No rule found anything to mend.'}
          </Notice>
        )}
      </section>
    </div>
  )
}

function Tally({ rules }: { rules: readonly Rule[] }): JSX.Element {
  const sum = (wanted: Severity): number =>
    rules.reduce(
      (total, { problems }) => total + problems.filter(({ severity }) => severity === wanted).length,
      0,
    )
  return (
    <p class="tally">
      {SEVERITIES.map(severity => (
        <span key={severity}>
          <SeverityMark severity={severity} />
          {counted(sum(severity), severity)}
        </span>
      ))}
    </p>
  )
}

function BaselineSwitch({
  shown,
  baseline,
  problems,
}: {
  shown: string
  baseline: NonNullable<PageProblems['baseline']>
  problems: readonly Problem[]
}): JSX.Element {
  const fresh = problems.filter(({ known }) => !known).length
  const choices: [value: string, label: string, count: number][] = [
    ['new', 'New', fresh],
    ['known', 'Accepted', baseline.known],
    ['gone', 'Gone', baseline.gone.length],
  ]
  return (
    <div class="switch" role="group" aria-label="Beside the baseline">
      {choices.map(([value, label, count]) => (
        <button
          key={value}
          type="button"
          aria-pressed={shown === value}
          onClick={() => setParams({ show: value, rule: '' })}
        >
          {label} <span class="count">{grouped(count)}</span>
        </button>
      ))}
    </div>
  )
}

function RuleProblems({
  rule: { name, problems, files },
  rowByFile,
}: {
  rule: Rule
  rowByFile: ReadonlyMap<string, Row>
}): JSX.Element {
  const [most, setMost] = useState(STEP)
  return (
    <>
      <header class="detail-head">
        <h2>
          <code>{name}</code>
        </h2>
        <p class="aside">{`${counted(problems.length, 'place')} in ${counted(files, 'file')}. docs/rules.md#${name} says more.`}</p>
      </header>
      <ol class="places">
        {problems.slice(0, most).map(problem => (
          <li key={`${problem.file}:${problem.line}:${problem.column} ${problem.reason}`}>
            <SeverityMark severity={problem.severity} />
            <div>
              <p>
                <strong>
                  <Text>{problem.reason}</Text>
                </strong>
                {problem.fatal && <span class="badge">does not load</span>}
              </p>
              <p class="quiet">
                <Text>{problem.note}</Text>
              </p>
              <p class="place">
                <Place problem={problem} row={rowByFile.get(problem.file)} />
              </p>
            </div>
          </li>
        ))}
      </ol>
      {problems.length > most && (
        <button type="button" class="plain" onClick={() => setMost(most + STEP)}>
          {`Show ${grouped(Math.min(STEP, problems.length - most))} more of ${grouped(problems.length - most)}`}
        </button>
      )}
    </>
  )
}

function Place({ problem: { file, line }, row }: { problem: Problem; row: Row | undefined }): JSX.Element {
  const place = <Text>{`${file}:${line}`}</Text>
  return row ? <a href={linkTo('skill', row.id, { line: String(line) })}>{place}</a> : place
}

function Gone({ gone }: { gone: NonNullable<PageProblems['baseline']>['gone'] }): JSX.Element {
  if (gone.length === 0)
    return <Notice title="Nothing is gone">Everything that the baseline accepts is still there.</Notice>
  return (
    <>
      <header class="detail-head">
        <h2>No longer wrong</h2>
        <p class="aside">
          Write the baseline again to drop these: <code>agent-apps check --write-baseline FILE</code>.
        </p>
      </header>
      <ol class="places">
        {gone.map(({ file, rule, reason }) => (
          <li key={`${file} ${rule} ${reason}`}>
            <div>
              <p>
                <Text>{reason}</Text>
              </p>
              <p class="place">
                <Text>{file}</Text> <span class="rule">{rule}</span>
              </p>
            </div>
          </li>
        ))}
      </ol>
    </>
  )
}

function rulesOf(problems: readonly Problem[]): Rule[] {
  return [...Map.groupBy(problems, ({ rule }) => rule)]
    .map(([name, own]) => ({
      name,
      severity: SEVERITIES.find(one => own.some(({ severity }) => severity === one)) ?? 'info',
      problems: own,
      files: new Set(own.map(({ file }) => file)).size,
    }))
    .sort(
      (a, b) =>
        SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
        b.problems.length - a.problems.length,
    )
}
