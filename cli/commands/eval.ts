import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathEntryDir } from 'agent-apps'
import { fromMessage, type Message } from 'agent-apps/compiler'
import type { Diagnostic } from 'agent-apps/runtime'
import { VFileMessage } from 'vfile-message'
import type { Command, Invocation } from '../command.js'
import { type Judgement, judgeTriggers } from '../eval/judge-triggers.js'
import { readTriggerCases } from '../eval/trigger-cases.js'
import { fromCwd, fromHere } from '../from-here.js'
import { noteDiagnostics, openRuntime } from '../open-runtime.js'
import { count, printable } from '../output.js'
import { type Comparison, compareWithBaseline, showComparison, writeBaseline } from '../report/baseline.js'
import { type Format, REPORT_OPTIONS, readFormat } from '../report/formats.js'
import { githubAnnotations, writeStepSummary } from '../report/github-annotations.js'
import { prettyDiagnostics, withoutAsides } from '../report/pretty-diagnostics.js'
import { sarifLog } from '../report/sarif.js'
import { usageError } from '../usage-error.js'

export const evalCommand: Command = {
  name: 'eval',
  positionals: { min: 0, max: Number.POSITIVE_INFINITY },
  options: {
    'min-first': {
      type: 'string',
      value: 'RATE',
      describes: 'fail if fewer prompts find their skill first: 0.8',
    },
    'min-five': {
      type: 'string',
      value: 'RATE',
      describes: 'fail if fewer find it among the first five: 0.95',
    },
    baseline: { type: 'string', value: 'FILE', describes: 'fail only on what is not in this baseline' },
    'write-baseline': {
      type: 'string',
      value: 'FILE',
      describes: 'accept what fails now: write it into this file',
    },
    ...REPORT_OPTIONS,
  },
  example: 'agent-apps eval ./skills --min-five 0.95',
  run,
}

/** How many skills are named that are found worst. */
const WORST = 10

interface Judged {
  judgement: Judgement
  diagnostics: Message[]
  comparison: Comparison | null
  /** The rates that are not reached, as ends of the summary. */
  below: string[]
  fails: boolean
}

async function run(invocation: Invocation): Promise<number> {
  const { options, output, cwd } = invocation
  const format = readFormat(invocation)
  const [first, five] = [readRate('min-first', options), readRate('min-five', options)]
  const given = invocation.positionals.map(path => resolve(cwd, path))
  const absent = invocation.positionals.find((_, at) => !existsSync(given[at] ?? ''))
  if (absent !== undefined)
    throw usageError(
      `The path ${JSON.stringify(absent)} does not exist.`,
      'Name a directory of skills, or a file with prompts.',
    )
  const files = given.filter(isFile)
  const folders = invocation.positionals.filter((_, at) => !files.includes(given[at] ?? ''))
  const runtime = await openRuntime(
    { ...invocation, options: { ...options, ...(folders.length > 0 && { path: folders }) } },
    false,
  )
  const agent = runtime.forAgent()
  const tools = await agent.listTools()
  const entries = runtime.globals.config.paths.flatMap(entry => pathEntryDir(entry) ?? [])
  const { cases, faults } = await readTriggerCases(
    tools,
    entries.map(dir => resolve(cwd, dir)),
    files,
  )
  if (cases.length === 0 && faults.length === 0)
    throw usageError(
      'No skill has prompts to try.',
      'Write some: `evals/trigger_queries.json` in the folder of a skill, as node_modules/agent-apps/docs/eval.md shows.',
    )
  // In a turn, the files are compared with the index once, and not for each search.
  const judgement = await runtime.turn(() =>
    judgeTriggers(cases, tools, (query, more) => agent.search(query, more)),
  )
  const messages = [...faults, ...judgement.diagnostics].map(one => toMessage(one, cwd))
  const { baseline } = options
  const comparison =
    typeof baseline === 'string' ? compareWithBaseline(baseline, messages, cwd, 'eval') : null
  const diagnostics = comparison?.fresh ?? messages
  const below = [
    ...belowRate(judgement.all.first, judgement, first, 'first').map(
      text => `${text}: --verbose lists the prompts`,
    ),
    ...belowRate(judgement.all.five, judgement, five, 'among five'),
  ]
  const isStrict = options.strict === true || comparison !== null
  const fails = below.length > 0 || (isStrict && diagnostics.length > 0)
  report({ judgement, diagnostics, comparison, below, fails }, format, invocation)
  noteDiagnostics(runtime, invocation)
  const written = options['write-baseline']
  if (typeof written !== 'string') return fails ? 1 : 0
  output.note(
    `accepted ${count(writeBaseline(written, messages, cwd), 'diagnostic')} in ${printable(fromHere(written, cwd))}`,
  )
  return 0
}

/** A diagnostic in the form of those of `check`, which the reports take. */
function toMessage({ file, rule: ruleId, reason, ...rest }: Diagnostic, cwd: string): Message {
  return Object.assign(new VFileMessage(reason, { ruleId }), { ...rest, file: fromCwd(file, cwd) })
}

function report(judged: Judged, format: Format, invocation: Invocation): void {
  const { judgement, diagnostics, comparison, fails } = judged
  const { output, cwd } = invocation
  const summary = summaryOf(judged)
  if (format === 'json') {
    const { all, skills, others } = judgement
    const { skill: _, ...rates } = all
    const notFirst = judgement.notFirst.map(one => ({ ...one, file: fromCwd(one.file, cwd) }))
    output.jsonResult({ ...rates, others, skills, notFirst, diagnostics: diagnostics.map(fromMessage) })
  } else if (format === 'sarif') output.jsonResult(sarifLog(diagnostics, cwd, !fails))
  else if (format === 'github') {
    for (const line of githubAnnotations(diagnostics, cwd)) output.result(line)
    output.result(summary)
    writeStepSummary(diagnostics, summary, cwd)
  } else {
    const shown = withoutAsides(diagnostics, invocation)
    for (const line of prettyDiagnostics(shown, invocation, output.stdout)) output.result(line)
    if (output.verbose) for (const line of notFirstLines(judgement, cwd)) output.result(line)
    for (const line of worst(judgement)) output.result(line)
    if (comparison) showComparison(comparison, invocation)
    output.result(summary)
  }
}

function notFirstLines({ notFirst }: Judgement, cwd: string): string[] {
  return notFirst.map(({ query, skill, file, line, first }) => {
    const instead = first === null ? 'nothing is found' : `"${first}" comes first`
    return printable(
      `${fromHere(file, cwd)}:${line} ${JSON.stringify(query)} does not find "${skill}" first: ${instead}`,
    )
  })
}

/** The skills that are found worst, of those that are not always found first. */
function worst({ skills }: Judgement): string[] {
  return skills
    .filter(({ first, prompts }) => first < prompts)
    .slice(0, WORST)
    .map(
      ({ skill, first, five, prompts }) =>
        `${printable(skill)}: first for ${first} of ${count(prompts, 'prompt')}, among five for ${five}`,
    )
}

function summaryOf({ judgement, below }: Judged): string {
  const { all, skills, others } = judgement
  const percent = (found: number): string =>
    `${all.prompts === 0 ? 0 : ((100 * found) / all.prompts).toFixed(1)} %`
  const wrong =
    others.prompts === 0
      ? ''
      : `, ${others.wrong} of ${count(others.prompts, 'other prompt')} find one that they should not`
  return `${count(all.prompts, 'prompt')} for ${count(skills.length, 'skill')}: first ${percent(all.first)}, among five ${percent(all.five)}${wrong}${below.map(text => ` · ${text}`).join('')}`
}

function belowRate(found: number, { all }: Judgement, least: number | null, name: string): string[] {
  return least === null || found >= least * all.prompts ? [] : [`${name} is below ${least}`]
}

/** @throws USAGE */
function readRate(option: string, { [option]: wanted }: Invocation['options']): number | null {
  if (wanted === undefined) return null
  const rate = Number(wanted)
  if (/^[\d.]+$/.test(String(wanted)) && rate <= 1) return rate
  throw usageError(`${JSON.stringify(wanted)} is not a rate.`, `Write a number from 0 to 1: --${option} 0.8.`)
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}
