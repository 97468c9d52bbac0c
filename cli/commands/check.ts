import { AgentAppsError, nearest } from 'agent-apps'
import { type CheckResult, check, fromMessage } from 'agent-apps/compiler'
import { type Command, type Invocation, projectOptions } from '../command.js'
import { fromHere } from '../from-here.js'
import { catalogLine, count, printable } from '../output.js'
import {
  FORMATS,
  type Format,
  githubDiagnostics,
  hasErrors,
  prettyDiagnostics,
  strictly,
  tally,
} from '../show-diagnostics.js'

export const checkCommand: Command = {
  name: 'check',
  summary: 'say what reading the skills shows to be wrong, run no code, and write nothing',
  positionals: { shown: '[paths…]', min: 0, max: Number.POSITIVE_INFINITY },
  options: {
    fix: { type: 'boolean', describes: 'correct in the files what can be corrected without guessing' },
    spec: { type: 'boolean', describes: "give the Agent Skills specification's verdict on every SKILL.md" },
    strict: { type: 'boolean', describes: 'fail on warnings too' },
    format: { type: 'string', value: 'NAME', describes: `${FORMATS.join(', ')} (default: pretty)` },
  },
  example: 'agent-apps check --fix ./skills',
  run,
}

async function run(invocation: Invocation): Promise<number> {
  const { options, output, cwd } = invocation
  const format = output.json ? 'json' : readFormat(options.format)
  const spec = options.spec === true
  const result = await check({ ...projectOptions(invocation), fix: options.fix === true, spec })
  if (format === 'json') output.jsonResult(asJson(result, spec))
  else if (format === 'github')
    for (const line of githubDiagnostics(result.diagnostics, cwd)) output.result(line)
  else if (spec) showSpec(result, invocation)
  else show(result, invocation)
  const invalid = spec && result.spec.some(({ valid }) => !valid)
  return invalid || hasErrors(result.diagnostics, options.strict === true) ? 1 : 0
}

function readFormat(wanted: unknown): Format {
  const format = FORMATS.find(known => known === (wanted ?? 'pretty'))
  if (format) return format
  const near = nearest(String(wanted), FORMATS)
  throw new AgentAppsError('USAGE', `There is no format ${JSON.stringify(wanted)}.`, {
    hint: near === null ? `Use one of ${FORMATS.join(', ')}.` : `Did you mean --format ${near}?`,
  })
}

function asJson({ counts, catalog, diagnostics, fixed, spec }: CheckResult, withSpec: boolean): object {
  return { counts, catalog, diagnostics: diagnostics.map(fromMessage), fixed, ...(withSpec && { spec }) }
}

function show(
  { counts, catalog, diagnostics, fixed }: CheckResult,
  { options, output, cwd }: Invocation,
): void {
  const shown = diagnostics.filter(
    ({ severity }) => severity === 'error' || (!output.quiet && (output.verbose || severity === 'warning')),
  )
  for (const line of prettyDiagnostics(shown, cwd, output, output.stdout)) output.result(line)
  if (shown.length > 0) output.result('')
  for (const file of fixed) output.note(`fixed ${printable(fromHere(file, cwd))}`)
  output.note(catalogLine(catalog))
  const faults = tally(diagnostics, ['error', 'warning', 'info'])
  const failing = strictly(diagnostics, options.strict === true)
  const hidden = diagnostics.length - shown.length
  const hint = hidden > 0 && !output.verbose ? ' (--verbose shows all)' : ''
  output.result(`checked ${count(counts.files, 'file')}: ${parts(counts)}${faults}${failing}${hint}`)
}

function parts({ found, shadowed, skipped }: CheckResult['counts']): string {
  const others = [
    ...(shadowed > 0 ? [`${count(shadowed)} shadowed`] : []),
    ...(skipped > 0 ? [`${count(skipped)} skipped`] : []),
  ]
  return [`${count(found)} found`, ...others].join(', ')
}

/** Shows the verdicts, after everything else that the command fails on. */
function showSpec({ spec, diagnostics }: CheckResult, { options, output, cwd }: Invocation): void {
  const failing = diagnostics.filter(one => hasErrors([one], options.strict === true))
  for (const line of prettyDiagnostics(failing, cwd, output, output.stdout)) output.result(line)
  if (failing.length > 0) output.result('')
  for (const { file, valid, errors } of spec) {
    if (valid && !output.verbose) continue
    output.result(
      `${valid ? output.style('green', 'valid  ') : output.style('red', 'invalid')} ${printable(fromHere(file, cwd))}`,
    )
    for (const error of errors) output.result(`          ${printable(error)}`)
  }
  const valid = spec.filter(one => one.valid).length
  const faults = tally(failing, ['error', 'warning']) + strictly(failing, options.strict === true)
  output.result(
    `valid under the specification: ${count(valid)} of ${count(spec.length, 'folder skill')}${faults}`,
  )
}
