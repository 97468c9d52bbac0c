import { renameSync, rmSync, writeFileSync } from 'node:fs'
import type { OptionTable } from '../src/base/options.js'
import { checkDelegates } from './1-read/code/check-delegates.js'
import { specVerdict } from './1-read/frontmatter/spec-verdict.js'
import { describesEntry } from './1-read/markdown/describes-entry.js'
import type { Fix } from './1-read/markdown/parse-file.js'
import { parseSkill, readSkills, toolParser } from './1-read/read-skills.js'
import { walk } from './1-read/walk/walk.js'
import { addDirectiveReferences } from './2-resolve/contents/add-directive-references.js'
import { projectContents } from './2-resolve/contents/project-contents.js'
import { linkDirectory } from './2-resolve/link/link.js'
import { attachModules, NO_MODULES } from './2-resolve/modules/unit-modules.js'
import { checkReferences } from './check/check-references.js'
import { checkUnreachable } from './check/check-unreachable.js'
import { unmatchedPatterns } from './check/unmatched-patterns.js'
import { readSkillFile } from './files/digest.js'
import { readRegularFile, systemReason } from './files/regular-file.js'
import { temporaryName } from './files/temporary-name.js'
import { projectCascades } from './pipeline/project-cascades.js'
import { readProject } from './pipeline/read-project.js'
import { libraryBelow } from './project/library.js'
import { checkProjectOptions } from './project/option-checks.js'
import { type ProjectOptions, shownPath } from './project/project.js'
import type { ProjectPart } from './project/project-part.js'
import { type Report, type ReportPart, report } from './project/report.js'
import { countTokens } from './records/catalog-cost.js'
import { withFindings } from './records/linked-directory.js'
import { fileOf, type Walk, type WalkedSkill } from './records/walked.js'

/** Which project `check` reads, and what it does beside reading. */
export interface CheckOptions extends ProjectOptions {
  /** Correct in the files what can be corrected without guessing, and report what is left. */
  fix?: boolean | undefined
  /** Also give the verdict of the Agent Skills specification's reference validator on every folder skill. */
  spec?: boolean | undefined
}

const OPTIONS: OptionTable<Exclude<keyof CheckOptions, keyof ProjectOptions>> = {
  fix: 'boolean',
  spec: 'boolean',
}

/** What `check` found. Nothing that is wrong with a skill is thrown: it stands in `diagnostics`. */
export interface CheckResult extends Report {
  /** With `fix`: the files changed, as shown paths. */
  fixed: string[]
  /** With `spec`: for each folder skill, as a shown path, what the reference validator says; valid where nothing. */
  spec: { file: string; valid: boolean; errors: string[] }[]
}

/** Gives every diagnostic of a project's skills that reading them shows, without running code or writing an index. */
export async function check(options: CheckOptions = {}): Promise<CheckResult> {
  checkProjectOptions('check', options, OPTIONS)
  const project = await readProject(options, false)
  const fixed: string[] = []
  const spec: CheckResult['spec'] = []
  const parts: (ReportPart & ProjectPart)[] = []
  for (const directory of project.directories) {
    const walked = walk(directory.dir, { isIgnored: directory.isIgnored, describesEntry })
    if (options.fix) fixed.push(...(await fixSkills(walked)).map(path => shownPath(directory, path)))
    if (options.spec) {
      for (const skill of walked.skills.filter(({ kind }) => kind === 'folder')) {
        const errors = verdict(skill)
        spec.push({ file: shownPath(directory, skill.path), valid: errors.length === 0, errors })
      }
    }
    const { units } = await readSkills(directory.dir, walked.skills, null, { walkedAt: 0 })
    await checkDelegates(directory.dir, units)
    await attachModules(directory.dir, units, NO_MODULES, {})
    countTokens(directory.dir, units)
    const { skills, skipped } = walked
    parts.push({
      directory,
      skills,
      skipped,
      parseTool: toolParser(skills),
      linked: linkDirectory(units, skipped),
    })
  }
  const library = libraryBelow(project)
  const cascades = await projectCascades(parts, library, project)
  const contents = await projectContents(parts, library, project, false)
  addDirectiveReferences(parts, contents)
  const checked = parts.map((part, number) => ({
    ...part,
    linked: [cascades, contents].reduce(
      (linked, found) => withFindings(linked, found[number]?.findings ?? new Map()),
      part.linked,
    ),
  }))
  return {
    ...report(
      checkUnreachable(await checkReferences(checked, project, { links: true })),
      await unmatchedPatterns(checked, project),
    ),
    fixed,
    spec,
  }
}

function verdict(skill: WalkedSkill): string[] {
  if (skill.unseen !== undefined) return [`The file cannot be read: ${skill.unseen}.`]
  try {
    return specVerdict(readSkillFile(fileOf(skill)), skill.folderName)
  } catch (error) {
    return [`The file cannot be read: ${systemReason(error)}.`]
  }
}

async function fixSkills({ skills }: Walk): Promise<string[]> {
  const fixed: string[] = []
  for (const skill of skills) {
    const { fixes } = await parseSkill(skill)
    if (fixes.length === 0) continue
    applyFixes(fileOf(skill), fixes)
    fixed.push(skill.path)
  }
  return fixed
}

/** Rewrites a file with its fixes made; every other byte stays. Fixes are in order and do not overlap. */
function applyFixes(file: string, fixes: Fix[]): void {
  const text = readRegularFile(file).toString()
  const pieces = fixes.map(
    ({ start, replacement }, index) => text.slice(fixes[index - 1]?.end ?? 0, start) + replacement,
  )
  const temporary = temporaryName(file)
  // Somebody's link of that name would be written through.
  rmSync(temporary, { force: true })
  writeFileSync(temporary, pieces.join('') + text.slice(fixes.at(-1)?.end ?? 0), { flag: 'wx' })
  renameSync(temporary, file)
}
