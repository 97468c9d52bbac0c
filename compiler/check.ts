import type { OptionTable } from '../src/base/options.js'
import type { FixedPlace } from './check/fix-files.js'
import type { SpecVerdict } from './check/spec-verdicts.js'
import { CHECK } from './pipeline/pipelines.js'
import { readProject } from './pipeline/read-project.js'
import { projectPart } from './pipeline/read-stages.js'
import { checkProjectOptions } from './project/option-checks.js'
import { type ProjectOptions, type ProjectPart, type ReportOptions, shownPath } from './project/project.js'
import type { Report, ReportPart } from './project/report.js'
import { runStages } from './project/stage.js'
import type { Unit } from './records/unit.js'

/** The project that `check` reads, and its options. */
export interface CheckOptions extends ReportOptions {
  /** Correct faults in the files where no guess is needed, and report the others. */
  fix?: boolean | undefined
  /** With `fix`: write nothing, and return the changes as `diff`. */
  dryRun?: boolean | undefined
  /** Also run the Agent Skills specification's reference validator on every folder skill. */
  spec?: boolean | undefined
}

const OPTIONS: OptionTable<Exclude<keyof CheckOptions, keyof ProjectOptions>> = {
  fix: 'boolean',
  dryRun: 'boolean',
  spec: 'boolean',
  rules: 'object',
}

/** The findings of `check`. Faults of skills are never thrown: they are in `diagnostics`. */
export interface CheckResult extends Report {
  /** With `fix`: the files changed, as shown paths; with `dryRun` those that would be. */
  fixed: string[]
  /** With `fix`: each place that was corrected, or would be. */
  fixes: FixedPlace[]
  /** With `dryRun`: the changes as a unified diff; else empty. */
  diff: string
  /** How many places `fix` would correct now, by rule; `allowed-tools` for commas, with `spec`. */
  fixable: Record<string, number>
  /** The directories, or the units of them that have skill files, as shown paths. */
  searched: string[]
  /** With `spec`: the reference validator's verdict on each folder skill. */
  spec: SpecVerdict[]
}

/**
 * Finds every fault of a project's skills that reading them shows, without running code or writing an index.
 */
export async function check(options: CheckOptions = {}): Promise<CheckResult> {
  checkProjectOptions('check', options, OPTIONS)
  const project = await readProject(options, false)
  const fixes: FixedPlace[] = []
  let diff = ''
  const fixable: Record<string, number> = {}
  const verdicts: SpecVerdict[] = []
  const parts: (ReportPart & ProjectPart)[] = []
  const { fix = false, dryRun = false, spec = false } = options
  for (const directory of project.directories) {
    const read = await runStages(CHECK.directory, { directory, fixing: { fix, dryRun, spec }, spec })
    for (const fixed of read.fixed.fixes) fixes.push(fixed)
    diff += read.fixed.diff
    for (const rule of read.read.units.flatMap(unit => unit.fixable ?? []))
      if (spec || rule !== 'allowed-tools') fixable[rule] = (fixable[rule] ?? 0) + 1
    for (const verdict of read.verdicts) verdicts.push(verdict)
    parts.push({ ...projectPart(read), skipped: read.walked.skipped })
  }
  const { report } = await runStages(CHECK.project, { parts, project })
  const fixed = [...new Set(fixes.map(({ file }) => file))]
  return { ...report, searched: parts.flatMap(searchedIn), fixed, fixes, diff, fixable, spec: verdicts }
}

/** The units of a directory with skill files, as shown paths; the directory if there are none. */
function searchedIn({ directory, units, skills }: ProjectPart): string[] {
  const hasSkills = ({ path }: Unit): boolean => skills.some(skill => skill.unit.path === path)
  const searched = units.filter(hasSkills).map(({ path }) => shownPath(directory, path))
  return searched.length > 0 ? searched : [shownPath(directory, '')]
}
