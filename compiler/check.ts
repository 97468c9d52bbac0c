import type { OptionTable } from '../src/base/options.js'
import type { SpecVerdict } from './check/spec-verdicts.js'
import { CHECK } from './pipeline/pipelines.js'
import { readProject } from './pipeline/read-project.js'
import { projectPart } from './pipeline/read-stages.js'
import { checkProjectOptions } from './project/option-checks.js'
import { type ProjectOptions, shownPath } from './project/project.js'
import type { ProjectPart } from './project/project-part.js'
import type { Report, ReportPart } from './project/report.js'
import { runStages } from './project/stage.js'

/** Which project `check` reads, and what it does besides. */
export interface CheckOptions extends ProjectOptions {
  /** Correct in the files what can be corrected without guessing, and report the remaining faults. */
  fix?: boolean | undefined
  /** Also give the verdict of the Agent Skills specification's reference validator on every folder skill. */
  spec?: boolean | undefined
}

const OPTIONS: OptionTable<Exclude<keyof CheckOptions, keyof ProjectOptions>> = {
  fix: 'boolean',
  spec: 'boolean',
}

/** What `check` found. Faults of skills are never thrown: they are in `diagnostics`. */
export interface CheckResult extends Report {
  /** With `fix`: the files changed, as shown paths. */
  fixed: string[]
  /** With `spec`: the reference validator's verdict on each folder skill. */
  spec: SpecVerdict[]
}

/**
 * Finds every fault of a project's skills that reading them shows, without running code or writing an index.
 */
export async function check(options: CheckOptions = {}): Promise<CheckResult> {
  checkProjectOptions('check', options, OPTIONS)
  const project = await readProject(options, false)
  const fixed: string[] = []
  const verdicts: SpecVerdict[] = []
  const parts: (ReportPart & ProjectPart)[] = []
  const { fix = false, spec = false } = options
  for (const directory of project.directories) {
    const read = await runStages(CHECK.directory, { directory, fix, spec })
    fixed.push(...read.fixed.map(path => shownPath(directory, path)))
    verdicts.push(...read.verdicts)
    parts.push({ ...projectPart(read), skipped: read.walked.skipped })
  }
  const { report } = await runStages(CHECK.project, { parts, project })
  return { ...report, fixed, spec: verdicts }
}
