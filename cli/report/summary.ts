import type { CheckResult, Message } from 'agent-apps/compiler'
import { fromHere } from '../from-here.js'
import { count, type Output } from '../output.js'
import { failures, type RuleGroup, ruleGroups } from './rule-groups.js'

type Severity = Message['severity']

/** From this number of diagnostics on, a baseline is suggested. */
const MANY = 50
const BASELINE = 'agent-apps.baseline.json'
/** The path entries that a summary names. */
const PATHS = 5

/** True if diagnostics make a command fail. */
export function hasErrors(diagnostics: readonly Message[], strict = false): boolean {
  return diagnostics.some(({ severity }) => severity === 'error' || (strict && severity === 'warning'))
}

/** The numbers of diagnostics at the end of a summary: `, 2 errors, 1 warning`. */
export function tally(diagnostics: readonly Message[], severities: readonly Severity[]): string {
  return severities
    .map(severity => [severity, numberOf(diagnostics, severity)] as const)
    .filter(([, number]) => number > 0)
    .map(([severity, number]) => `, ${count(number, severity)}`)
    .join('')
}

/** The note of a summary for a command that fails on warnings. */
export function strictly(diagnostics: readonly Message[], strict: boolean): string {
  return hasErrors(diagnostics, strict) && !hasErrors(diagnostics) ? ' (--strict fails on warnings)' : ''
}

/** The found skills: `4 skills in 5 files (1 shadowed)`. */
export function skillsInFiles(
  skills: number,
  { files, shadowed, skipped }: { files: number; shadowed: number; skipped: number },
): string {
  const others = [
    ...(shadowed > 0 ? [`${count(shadowed)} shadowed`] : []),
    ...(skipped > 0 ? [`${count(skipped)} skipped`] : []),
  ]
  const aside = others.length > 0 ? ` (${others.join(', ')})` : ''
  return `${count(skills, 'skill')} in ${count(files, 'file')}${aside}`
}

/** The searched path entries: `paths: skills, ../team-skills`. */
export function searchedPaths(directories: readonly string[], cwd: string): string {
  const named = directories.slice(0, PATHS).map(directory => fromHere(directory, cwd))
  const more = directories.length - named.length
  return `${directories.length === 1 ? 'path' : 'paths'}: ${named.join(', ')}${more > 0 ? ` and ${count(more)} more` : ''}`
}

/** The advice about diagnostics; empty if nothing is wrong. */
export function firstSteps(
  { diagnostics, fixable }: Pick<CheckResult, 'diagnostics' | 'fixable'>,
  isWithBaseline: boolean,
  output: Output,
): string[] {
  const failing = failures(diagnostics)
  const corrected = Object.values(fixable).reduce((sum, places) => sum + places, 0)
  const urgent = ruleGroups(failing).find(({ rule, messages }) => messages.length > (fixable[rule] ?? 0))
  const steps = [
    ...(corrected > 0 ? [`run \`agent-apps check --fix\`, which corrects ${count(corrected, 'place')}`] : []),
    ...(urgent === undefined ? [] : [stepFor(urgent)]),
  ]
  if (steps.length === 0) return []
  return [
    output.style('bold', `First ${steps.join(', then ')}.`),
    ...(failing.length >= MANY && !isWithBaseline
      ? [`To fail only on new ones: \`agent-apps check --write-baseline ${BASELINE}\`.`]
      : []),
  ]
}

function stepFor({ rule, severity, messages, isFatal }: RuleGroup): string {
  const skills = messages.length === 1 ? 'which keeps a skill' : 'which keep skills'
  const places = `${count(messages.length, severity)}${isFatal ? `, ${skills} from loading` : ''}`
  return `${severity === 'error' ? 'correct' : 'look at'} ${rule} (${places})`
}

function numberOf(diagnostics: readonly Message[], wanted: Severity): number {
  return diagnostics.filter(({ severity }) => severity === wanted).length
}
