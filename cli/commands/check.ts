import { type CheckResult, check, fromMessage, type Message } from 'agent-apps/compiler'
import { type Command, type Invocation, projectOptions } from '../command.js'
import { fromHere } from '../from-here.js'
import { catalogLine, count, printable } from '../output.js'
import { type Comparison, compareWithBaseline, showComparison, writeBaseline } from '../report/baseline.js'
import { type Format, REPORT_OPTIONS, readFormat } from '../report/formats.js'
import { githubAnnotations, writeStepSummary } from '../report/github-annotations.js'
import { ALLOW_EMPTY, isEmptyUnasked, orNothing } from '../report/no-skills.js'
import { prettyDiagnostics, withoutAsides } from '../report/pretty-diagnostics.js'
import { sarifLog } from '../report/sarif.js'
import { firstSteps, hasErrors, searchedPaths, skillsInFiles, strictly, tally } from '../report/summary.js'
import { usageError } from '../usage-error.js'

export const checkCommand: Command = {
  name: 'check',
  positionals: { min: 0, max: Number.POSITIVE_INFINITY },
  options: {
    fix: { type: 'boolean', describes: 'fix what can be fixed without guessing' },
    'dry-run': { type: 'boolean', describes: 'with --fix, print the changes instead of writing them' },
    spec: { type: 'boolean', describes: 'validate every SKILL.md against the Agent Skills specification' },
    baseline: { type: 'string', value: 'FILE', describes: 'fail only on what this baseline does not accept' },
    'write-baseline': {
      type: 'string',
      value: 'FILE',
      describes: 'accept all current errors and warnings by writing them to this file',
    },
    ...REPORT_OPTIONS,
    ...ALLOW_EMPTY,
  },
  example: 'agent-apps check --fix ./skills',
  run: invocation => orNothing(invocation, () => run(invocation)),
}

/** The corrected files that a terminal shows. */
const FILES = 10

/** The result of a check, compared with a baseline. */
interface Checked {
  result: CheckResult
  /** The diagnostics that no baseline accepts. */
  diagnostics: Message[]
  comparison: Comparison | null
  /** The reason why the command fails without an error, for the summary; else empty. */
  why: string
  fails: boolean
}

async function run(invocation: Invocation): Promise<number> {
  const { options, output, cwd } = invocation
  const format = readFormat(invocation)
  const [fix, dryRun, spec] = [options.fix, options['dry-run'], options.spec].map(one => one === true)
  if (dryRun && !fix)
    throw usageError(
      '`agent-apps check`: --dry-run requires --fix.',
      'Add --fix; `agent-apps check` alone writes nothing.',
    )
  const checking = { ...projectOptions(invocation), fix, dryRun, spec }
  const result = await check(checking)
  const checked = judge(result, invocation)
  const written = options['write-baseline']
  if (typeof written === 'string') {
    const accepted = writeBaseline(written, result.diagnostics, cwd)
    output.note(`accepted ${count(accepted, 'diagnostic')} in ${printable(fromHere(written, cwd))}`)
  }
  report(checked, format, invocation)
  const isEmpty = await isEmptyUnasked(result.counts.files, invocation)
  return isEmpty || (checked.fails && written === undefined) ? 1 : 0
}

function judge(result: CheckResult, { options, cwd }: Invocation): Checked {
  const { baseline } = options
  const comparison =
    typeof baseline === 'string' ? compareWithBaseline(baseline, result.diagnostics, cwd, 'check') : null
  const diagnostics = comparison?.fresh ?? result.diagnostics
  const strict = options.strict === true || comparison !== null
  const isInvalid = result.spec.some(({ valid }) => !valid)
  return {
    result,
    diagnostics,
    comparison,
    why: comparison ? '' : strictly(diagnostics, strict),
    fails: isInvalid || hasErrors(diagnostics, strict),
  }
}

function report(checked: Checked, format: Format, invocation: Invocation): void {
  const { result, diagnostics, comparison, fails } = checked
  const { options, output, cwd } = invocation
  if (format === 'json') output.jsonResult(asJson(checked, options.spec === true))
  else if (format === 'sarif') output.jsonResult(sarifLog(diagnostics, cwd, !fails))
  else if (format === 'github') {
    for (const line of githubAnnotations(diagnostics, cwd)) output.result(line)
    if (comparison) showComparison(comparison, invocation)
    output.result(summary(checked, invocation))
    writeStepSummary(diagnostics, summary(checked, invocation), cwd)
  } else if (options['dry-run'] === true) {
    // Standard output gets nothing else, so that `git apply` can read it.
    const { isTTY } = output.stdout
    output.exact(isTTY ? result.diff.split('\n').map(printable).join('\n') : result.diff)
    output.note(fixSummary(result, invocation))
  } else showAll(checked, invocation)
}

function showAll(checked: Checked, invocation: Invocation): void {
  const { result, diagnostics, comparison } = checked
  const { options, output } = invocation
  const isAccepting = options['write-baseline'] !== undefined
  if (options.spec === true) showSpec(checked, invocation)
  else if (!isAccepting) {
    const shown = withoutAsides(diagnostics, invocation)
    for (const line of prettyDiagnostics(shown, invocation, output.stdout)) output.result(line)
    output.note(catalogLine(result.catalog))
  }
  if (options.fix === true) {
    for (const line of fixedFiles(result, invocation)) output.note(line)
    output.result(fixSummary(result, invocation))
  }
  if (comparison) showComparison(comparison, invocation)
  output.result(summary(checked, invocation))
  if (output.quiet || options.spec === true || isAccepting) return
  for (const line of firstSteps({ ...result, diagnostics }, comparison !== null, output)) output.result(line)
}

function asJson({ result, diagnostics, comparison }: Checked, withSpec: boolean): object {
  const { counts, catalog, fixed, fixes, diff, fixable, spec } = result
  return {
    counts,
    catalog,
    diagnostics: diagnostics.map(fromMessage),
    fixed,
    fixes,
    ...(diff !== '' && { diff }),
    fixable,
    ...(comparison && { baseline: { known: comparison.known, gone: comparison.gone } }),
    ...(withSpec && { spec }),
  }
}

function summary({ result, diagnostics, why }: Checked, { options, output, cwd }: Invocation): string {
  const { counts, skills, searched, spec } = result
  const faults = tally(diagnostics, ['error', 'warning', 'info'])
  const isHidden =
    !output.verbose && options.format !== 'github' && diagnostics.some(({ severity }) => severity === 'info')
  const hint = isHidden ? ' (--verbose shows infos)' : ''
  if (options.spec === true) {
    const valid = spec.filter(one => one.valid).length
    const failing = diagnostics.filter(one => hasErrors([one], options.strict === true))
    return `valid under the specification: ${count(valid)} of ${count(spec.length, 'folder skill')}${tally(failing, ['error', 'warning'])}${why}`
  }
  const paths = ` · ${searchedPaths(searched, cwd)}`
  return `${skillsInFiles(skills.length, counts)}${faults}${why}${hint}${printable(paths)}`
}

/** The corrected files, each with the rules that it broke; in a terminal at most ten. */
function fixedFiles({ fixes }: CheckResult, { options, output, cwd }: Invocation): string[] {
  const files = new Map<string, Set<string>>()
  for (const { file, rule } of fixes) files.set(file, (files.get(file) ?? new Set()).add(rule))
  const isCut = output.stderr.isTTY === true && options.all !== true
  const shown = [...files].slice(0, isCut ? FILES : files.size)
  const more = files.size - shown.length
  return [
    ...shown.map(([file, rules]) => `fixed ${printable(fromHere(file, cwd))} (${[...rules].join(', ')})`),
    ...(more > 0 ? [`and ${count(more, 'more file')}; --all shows them`] : []),
  ]
}

function fixSummary({ fixes, fixed, diagnostics }: CheckResult, { options }: Invocation): string {
  const places = `${count(fixes.length, 'place')} in ${count(fixed.length, 'file')}`
  if (options['dry-run'] === true) return `would fix ${places}`
  const left = diagnostics.filter(({ severity }) => severity !== 'info').length
  return `fixed ${places}; not fixed: ${left === 0 ? 'none' : `${count(left)}, to be corrected by hand`}`
}

/** Prints the verdicts of the specification, after the other diagnostics that fail. */
function showSpec({ result, diagnostics }: Checked, invocation: Invocation): void {
  const { options, output, cwd } = invocation
  const failing = diagnostics.filter(one => hasErrors([one], options.strict === true))
  const shown = diagnostics.filter(one => failing.includes(one) || one.ruleId === 'metadata-not-string')
  for (const line of prettyDiagnostics(shown, invocation, output.stdout)) output.result(line)
  for (const { file, valid, errors } of result.spec) {
    if (valid && !output.verbose) continue
    output.result(
      `${valid ? output.style('green', 'valid  ') : output.style('red', 'invalid')} ${printable(fromHere(file, cwd))}`,
    )
    for (const error of errors) output.result(`          ${printable(error)}`)
  }
}
